"""Multipart uploads with boto3, as a Python application does them.

Reads one JSON document from stdin, {endpoint, access_key, secret_key, file, copy}, and prints one,
with what it found. Exits with an exception when anything is not as S3 promises.
"""

import json
import sys

from boto3.s3.transfer import TransferConfig
from client import client_of, code_of

BUCKET = "boto3-parts"
MIB = 1024 * 1024


def main():
    job = json.load(sys.stdin)
    s3 = client_of(job)
    s3.create_bucket(Bucket=BUCKET)
    s3.upload_file(job["file"], BUCKET, "file", ExtraArgs={"Metadata": {"colour": "blue"}})
    head = s3.head_object(Bucket=BUCKET, Key="file")
    assert head["Metadata"] == {"colour": "blue"}, head
    parts_of_copy = TransferConfig(multipart_threshold=8 * MIB, multipart_chunksize=8 * MIB)
    source = {"Bucket": BUCKET, "Key": "file"}
    s3.copy(source, BUCKET, "copy", Config=parts_of_copy)
    s3.download_file(BUCKET, "copy", job["copy"])
    part = s3.get_object(Bucket=BUCKET, Key="file", PartNumber=2)
    report = {
        "etag": head["ETag"],
        "etag_of_copy": s3.head_object(Bucket=BUCKET, Key="copy")["ETag"],
        "parts": part["PartsCount"],
        "part_bytes": len(part["Body"].read()),
        "open": list_and_abort(s3),
        "errors": provoke_errors(s3),
    }
    json.dump(report, sys.stdout)


def list_and_abort(s3):
    """Keys of open uploads, in the service's order, and then none."""
    for key in ["b", "a/b", "a", "a!", "a"]:
        s3.create_multipart_upload(Bucket=BUCKET, Key=key)
    pages = s3.get_paginator("list_multipart_uploads").paginate(
        Bucket=BUCKET, PaginationConfig={"PageSize": 2}
    )
    uploads = [upload for page in pages for upload in page.get("Uploads", [])]
    for upload in uploads:
        s3.abort_multipart_upload(Bucket=BUCKET, Key=upload["Key"], UploadId=upload["UploadId"])
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=BUCKET)
    return [upload["Key"] for upload in uploads]


def provoke_errors(s3):
    """Codes by what was tried."""
    upload_id = s3.create_multipart_upload(Bucket=BUCKET, Key="wrong")["UploadId"]
    upload = {"Bucket": BUCKET, "Key": "wrong", "UploadId": upload_id}
    etags = [
        s3.upload_part(**upload, PartNumber=number, Body=b"small")["ETag"] for number in (1, 2)
    ]
    parts = [{"PartNumber": number + 1, "ETag": etag} for number, etag in enumerate(etags)]
    codes = {
        "small parts": refusal_of(s3, upload, parts),
        "wrong order": refusal_of(s3, upload, parts[::-1]),
        "missing part": refusal_of(s3, upload, [{"PartNumber": 9, "ETag": etags[0]}]),
    }
    s3.abort_multipart_upload(**upload)
    return {**codes, "aborted": refusal_of(s3, upload, parts[:1])}


def refusal_of(s3, upload, parts):
    return code_of(s3.complete_multipart_upload, **upload, MultipartUpload={"Parts": parts})


main()
