#!/usr/bin/env python3
"""Copies a bucket with all its versions and delete markers from one S3 service to another.

    OLD=http://s3api:8080 NEW=http://ringway:8000 python3 copy_versions.py OLD_BUCKET NEW_BUCKET

Both get the credential of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. NEW_BUCKET has to be there,
to keep versions and to be empty. Each key's versions are written in the order of their age, with
their content's headers and metadata; ids and times are new. ACLs and tags are not copied, and
ETags of what goes over in parts (above 8 MiB) are others. It ends at the first error, with the key:
what was copied stays, so delete it before another try.
"""

import os
import sys

import boto3
from botocore.config import Config

KEPT = (
    "CacheControl",
    "ContentDisposition",
    "ContentEncoding",
    "ContentLanguage",
    "ContentType",
    "Expires",
    "Metadata",
)


def client(endpoint):
    config = Config(s3={"addressing_style": "path"})
    return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", config=config)


def age(entry):
    """For the order of one key's versions: times have whole seconds, s3api's ids finer ones."""
    return entry["LastModified"], entry["IsLatest"], entry["VersionId"]


def keys_with_versions(s3, bucket):
    """Yields (key, its versions and delete markers, oldest first). A page of the listing and the
    versions of one key are in memory."""
    found = {}
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        for entry in page.get("Versions", []):
            found.setdefault(entry["Key"], []).append({**entry, "Deleted": False})
        for entry in page.get("DeleteMarkers", []):
            found.setdefault(entry["Key"], []).append({**entry, "Deleted": True})
        # The key that the next page goes on with may have more.
        whole = [key for key in found if key != page.get("NextKeyMarker")]
        for key in whole:
            yield key, sorted(found.pop(key), key=age)
    for key, entries in found.items():
        yield key, sorted(entries, key=age)


def copy(old, old_bucket, new, new_bucket, entry):
    key = entry["Key"]
    if entry["Deleted"]:
        new.delete_object(Bucket=new_bucket, Key=key)
        return
    got = old.get_object(Bucket=old_bucket, Key=key, VersionId=entry["VersionId"])
    kept = {name: got[name] for name in KEPT if got.get(name)}
    new.upload_fileobj(got["Body"], new_bucket, key, ExtraArgs=kept)


def main(old_bucket, new_bucket):
    old, new = client(os.environ["OLD"]), client(os.environ["NEW"])
    if new.get_bucket_versioning(Bucket=new_bucket).get("Status") != "Enabled":
        sys.exit(f"{new_bucket}: expected a bucket that keeps versions")
    there = new.list_object_versions(Bucket=new_bucket, MaxKeys=1)
    if there.get("Versions") or there.get("DeleteMarkers"):
        sys.exit(f"{new_bucket}: expected a bucket without a version in it")
    copied = 0
    for key, entries in keys_with_versions(old, old_bucket):
        for entry in entries:
            try:
                copy(old, old_bucket, new, new_bucket, entry)
            except Exception as error:
                sys.exit(f"{key!r}, version {entry['VersionId']}: {error}")
            copied += 1
    print(f"{copied} versions and delete markers copied")


if __name__ == "__main__":
    if len(sys.argv) != 3 or "OLD" not in os.environ or "NEW" not in os.environ:
        sys.exit(__doc__)
    main(*sys.argv[1:])
