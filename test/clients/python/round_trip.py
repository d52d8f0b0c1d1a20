"""Round trips with boto3, as a Python application does them.

Reads one JSON document from stdin, {endpoint, access_key, secret_key, source, copy, big, big_copy,
odd_keys: [key], signature_version?, addressing_style?}, and prints one, with what it found. Exits with an
exception when anything is not as S3 promises.
"""

import json
import os
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

from boto3.s3.transfer import TransferConfig
from client import client_of, code_of


def main():
    job = json.load(sys.stdin)
    resolve_localhost()
    s3 = client_of(job)
    s3.create_bucket(Bucket="boto3")
    report = {
        "files": round_trip_tree(s3, job["source"], job["copy"]),
        "odd_keys": round_trip_keys(s3, job["odd_keys"]),
        "errors": provoke_errors(s3),
        "range": read_range(s3),
        "urls": presign(s3),
    }
    s3.upload_file(job["big"], "boto3", "big", Config=big_transfer(s3))
    s3.download_file("boto3", "big", job["big_copy"])
    json.dump(report, sys.stdout)


def resolve_localhost():
    """Names below localhost are the loopback (RFC 6761), which glibc does not know by itself."""
    resolve = socket.getaddrinfo

    def resolve_all(host, *rest, **options):
        is_local = isinstance(host, str) and host.endswith(".localhost")
        return resolve("127.0.0.1" if is_local else host, *rest, **options)

    socket.getaddrinfo = resolve_all


def round_trip_tree(s3, source, copy):
    """Uploads all files below `source`, fetches all that a listing gives into `copy`."""
    paths = [
        os.path.relpath(os.path.join(folder, name), source)
        for folder, _, names in os.walk(source)
        for name in names
    ]

    def upload(path):
        s3.upload_file(os.path.join(source, path), "boto3", f"tree/{path}")

    def download(key):
        target = os.path.join(copy, key.removeprefix("tree/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        s3.download_file("boto3", key, target)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(upload, paths))
        keys = list_keys(s3, "boto3", Prefix="tree/", PaginationConfig={"PageSize": 100})
        list(pool.map(download, keys))
    return len(keys)


def big_transfer(s3):
    """With version 2, botocore signs `?uploads?uploads` for `?uploads`, for every service."""
    one_piece = TransferConfig(multipart_threshold=5 * 1024**3)
    return one_piece if s3.meta.config.signature_version == "s3" else None


def lister(s3):
    """botocore signs ListObjectsV2 wrongly with version 2, for every service: boto/boto3#4433."""
    return "list_objects" if s3.meta.config.signature_version == "s3" else "list_objects_v2"


def list_keys(s3, bucket, **options):
    pages = s3.get_paginator(lister(s3)).paginate(Bucket=bucket, **options)
    return [item["Key"] for page in pages for item in page.get("Contents", [])]


def round_trip_keys(s3, keys):
    """Each key has its own body; returns the listing in the service's order."""
    s3.create_bucket(Bucket="odd-keys")
    for key in keys:
        s3.put_object(Bucket="odd-keys", Key=key, Body=f"body of <{key}>".encode())
    for key in keys:
        body = s3.get_object(Bucket="odd-keys", Key=key)["Body"].read().decode()
        assert body == f"body of <{key}>", f"{key!r} gave {body!r}"
    listed = list_keys(s3, "odd-keys")
    for key in keys:
        s3.delete_object(Bucket="odd-keys", Key=key)
    s3.delete_bucket(Bucket="odd-keys")
    return listed


def read_range(s3):
    s3.put_object(Bucket="boto3", Key="small", Body=b"0123456789", Metadata={"colour": "blue"})
    head = s3.head_object(Bucket="boto3", Key="small")
    assert head["Metadata"] == {"colour": "blue"}, head
    return s3.get_object(Bucket="boto3", Key="small", Range="bytes=2-4")["Body"].read().decode()


def presign(s3):
    """URLs for the caller to use: what they promise is tested there."""
    overrides = {"ResponseContentType": "text/x-a b", "ResponseContentDisposition": 'a; b="c&d"'}
    key = {"Bucket": "boto3", "Key": "signed/../a+b c%2F"}
    return {
        "put": s3.generate_presigned_url(
            "put_object", {**key, "Metadata": {"colour": "red"}, "ContentType": "text/css"}
        ),
        "get": s3.generate_presigned_url("get_object", {**key, **overrides}),
    }


def provoke_errors(s3):
    """Codes by what was tried."""
    return {
        "absent key": code_of(s3.get_object, Bucket="boto3", Key="absent"),
        "absent bucket": code_of(getattr(s3, lister(s3)), Bucket="absent"),
        "full bucket": code_of(s3.delete_bucket, Bucket="boto3"),
    }


main()
