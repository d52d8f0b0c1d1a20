"""Lifecycle rules with boto3, as a Python application sets and reads them.

Reads one JSON document from stdin, {endpoint, access_key, secret_key, rules}, and prints one, with
what it found.
"""

import json
import sys

from client import client_of, code_of

BUCKET = "boto3-rules"


def main():
    job = json.load(sys.stdin)
    s3 = client_of(job)
    s3.create_bucket(Bucket=BUCKET)
    report = {"before": code_of(s3.get_bucket_lifecycle_configuration, Bucket=BUCKET)}
    s3.put_bucket_lifecycle_configuration(
        Bucket=BUCKET, LifecycleConfiguration={"Rules": job["rules"]}
    )
    report["rules"] = s3.get_bucket_lifecycle_configuration(Bucket=BUCKET)["Rules"]
    s3.put_object(Bucket=BUCKET, Key="logs/a", Body=b"body", Tagging="kept=no")
    report["expiration"] = s3.head_object(Bucket=BUCKET, Key="logs/a")["Expiration"]
    s3.delete_bucket_lifecycle(Bucket=BUCKET)
    report["after"] = code_of(s3.get_bucket_lifecycle_configuration, Bucket=BUCKET)
    json.dump(report, sys.stdout)


main()
