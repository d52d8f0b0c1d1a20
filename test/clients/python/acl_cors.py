"""ACLs and CORS rules with boto3, as a Python application sets and reads them.

Reads one JSON document from stdin, {endpoint, access_key, secret_key, grantee}, and prints one,
with what it read back.
"""

import json
import sys

from client import client_of, code_of

RULE = {
    "AllowedOrigins": ["https://app.example"],
    "AllowedMethods": ["GET", "PUT"],
    "AllowedHeaders": ["*"],
    "ExposeHeaders": ["ETag"],
    "MaxAgeSeconds": 600,
}


def main():
    job = json.load(sys.stdin)
    s3 = client_of(job)
    s3.create_bucket(Bucket="acl-boto3")
    bucket = {"Bucket": "acl-boto3"}
    target = {"Bucket": "acl-boto3", "Key": "key"}
    s3.put_object(**target, Body=b"x", ACL="public-read")
    report = {"put": grants_of(s3.get_object_acl(**target))}

    s3.put_object_acl(**target, GrantRead=f'id="{job["grantee"]}"')
    report["headers"] = grants_of(s3.get_object_acl(**target))

    policy = s3.get_bucket_acl(**bucket)
    report["owner"] = policy["Owner"]["ID"]
    grantee = {"Type": "CanonicalUser", "ID": job["grantee"]}
    policy["Grants"].append({"Grantee": grantee, "Permission": "WRITE"})
    del policy["ResponseMetadata"]
    s3.put_bucket_acl(**bucket, AccessControlPolicy=policy)
    report["document"] = grants_of(s3.get_bucket_acl(**bucket))

    report["no rules"] = code_of(s3.get_bucket_cors, **bucket)
    s3.put_bucket_cors(**bucket, CORSConfiguration={"CORSRules": [RULE]})
    report["rules"] = s3.get_bucket_cors(**bucket)["CORSRules"] == [RULE]
    s3.delete_bucket_cors(**bucket)
    report["rules removed"] = code_of(s3.get_bucket_cors, **bucket)
    json.dump(report, sys.stdout)


def grants_of(policy):
    """`grantee permission`, sorted; a group by the last part of its URI."""
    return sorted(
        f'{grant["Grantee"].get("ID") or grant["Grantee"]["URI"].split("/")[-1]} {grant["Permission"]}'
        for grant in policy["Grants"]
    )


main()
