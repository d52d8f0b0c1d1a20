"""What all scripts here share: a client with boto3's own settings but for what a job says."""

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError


def client_of(job):
    return boto3.client(
        "s3",
        endpoint_url=job["endpoint"],
        region_name="us-east-1",
        aws_access_key_id=job["access_key"],
        aws_secret_access_key=job["secret_key"],
        config=Config(
            signature_version=job.get("signature_version"),
            s3={"addressing_style": job.get("addressing_style", "path")},
            retries={"max_attempts": 1},
        ),
    )


def code_of(call, **arguments):
    """The error code of a call that has to fail."""
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    raise AssertionError(f"{call} did not fail")
