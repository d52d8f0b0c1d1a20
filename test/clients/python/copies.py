"""Copies, multi-deletes and tags with boto3, as a Python application uses them.

Reads one JSON document from stdin, {endpoint, access_key, secret_key, odd_keys: [key]}, and prints
one, with what it found. Exits with an exception when anything is not as S3 promises.
"""

import json
import sys

from botocore.exceptions import ClientError

from client import client_of

BUCKET = "copies"
TARGET = "targets"
TAGS = [{"Key": "colour", "Value": "brown fox"}, {"Key": "größe+/=@", "Value": ""}]


def main():
    job = json.load(sys.stdin)
    s3 = client_of(job)
    s3.create_bucket(Bucket=BUCKET)
    s3.create_bucket(Bucket=TARGET)
    report = {
        "copied": copy_all(s3, job["odd_keys"]),
        "deleted": delete_all(s3),
        "metadata": replace_metadata(s3),
        "object_tags": tag_object(s3),
        "bucket_tags": tag_bucket(s3),
    }
    json.dump(report, sys.stdout)


def copy_all(s3, keys):
    """boto3 encodes the source by itself. Returns the bodies of the copies."""
    bodies = {}
    for key in keys:
        s3.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
        source = {"Bucket": BUCKET, "Key": key}
        s3.copy_object(Bucket=TARGET, Key=key, CopySource=source)
        got = s3.get_object(Bucket=TARGET, Key=key)
        bodies[key] = got["Body"].read().decode()
    return bodies


def delete_all(s3):
    """One key and one that is not there; then, quietly, all that are left."""
    first, *others = [entry["Key"] for entry in s3.list_objects_v2(Bucket=BUCKET)["Contents"]]
    answer = delete(s3, ["absent", first])
    delete(s3, others, Quiet=True)
    return {
        "deleted": len(answer["Deleted"]),
        "errors": [error["Code"] for error in answer["Errors"]],
        "left": s3.list_objects_v2(Bucket=BUCKET)["KeyCount"],
    }


def delete(s3, keys, **options):
    objects = [{"Key": key} for key in keys]
    return s3.delete_objects(Bucket=BUCKET, Delete={"Objects": objects, **options})


def replace_metadata(s3):
    s3.put_object(Bucket=BUCKET, Key="self", Body=b"x", Metadata={"a": "1"})
    source = {"Bucket": BUCKET, "Key": "self"}
    s3.copy_object(
        Bucket=BUCKET, Key="self", CopySource=source, MetadataDirective="REPLACE", Metadata={"b": "2"}
    )
    return s3.head_object(Bucket=BUCKET, Key="self")["Metadata"]


def tag_object(s3):
    key = {"Bucket": BUCKET, "Key": "self"}
    s3.put_object_tagging(**key, Tagging={"TagSet": TAGS})
    found = s3.get_object_tagging(**key)["TagSet"]
    s3.delete_object_tagging(**key)
    return [found, s3.get_object_tagging(**key)["TagSet"]]


def tag_bucket(s3):
    s3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": TAGS})
    found = s3.get_bucket_tagging(Bucket=BUCKET)["TagSet"]
    s3.delete_bucket_tagging(Bucket=BUCKET)
    try:
        s3.get_bucket_tagging(Bucket=BUCKET)
        code = None
    except ClientError as error:
        code = error.response["Error"]["Code"]
    return [found, code]


main()
