"""Keys with control characters, with boto3.

Reads one JSON document from stdin, {endpoint, access_key, secret_key, keys}, and prints one: by
operation what the client got, or the code or kind of its failure.
"""

import json
import sys

from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError
from client import client_of

BUCKET = "control-boto3"


def main():
    job = json.load(sys.stdin)
    s3 = client_of(job)
    keys = job["keys"]
    s3.create_bucket(Bucket=BUCKET)
    bucket = {"Bucket": BUCKET}
    for key in keys:
        s3.put_object(**bucket, Key=key, Body=key.encode())
    report = {
        "GetObject": [
            s3.get_object(**bucket, Key=key)["Body"].read().decode() for key in keys
        ],
        "ListObjects": attempt(lambda: keys_of(s3.list_objects(**bucket))),
        "ListObjectsV2": attempt(lambda: keys_of(s3.list_objects_v2(**bucket))),
        "ListObjectVersions": attempt(
            lambda: keys_of(s3.list_object_versions(**bucket), "Versions")
        ),
        "CreateMultipartUpload": [
            attempt(lambda: s3.create_multipart_upload(**bucket, Key=key)["Key"])
            for key in keys
        ],
        "ListMultipartUploads": attempt(
            lambda: keys_of(s3.list_multipart_uploads(**bucket), "Uploads")
        ),
        "ListMultipartUploads with encoding-type": attempt(
            lambda: keys_of(
                s3.list_multipart_uploads(**bucket, EncodingType="url"), "Uploads"
            )
        ),
        "DeleteObjects": [
            attempt(
                lambda: [
                    deleted["Key"]
                    for deleted in s3.delete_objects(
                        **bucket, Delete={"Objects": [{"Key": key}]}
                    )["Deleted"]
                ]
            )
            for key in keys
        ],
    }
    for key in keys:
        s3.delete_object(**bucket, Key=key)
    report["left"] = attempt(lambda: keys_of(s3.list_objects_v2(**bucket)))
    json.dump(report, sys.stdout)


def keys_of(page, entries="Contents"):
    return [entry["Key"] for entry in page.get(entries, [])]


def attempt(ask):
    try:
        return ask()
    except ClientError as error:
        return error.response["Error"]["Code"]
    except ResponseParserError as error:
        return type(error).__name__


main()
