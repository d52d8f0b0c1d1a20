"""Versions and Object Lock with boto3: every row of what S3 promises of them.

Reads one JSON document from stdin, {endpoint, access_key, secret_key}, and prints one, with what it
found. Exits with an exception when anything is not as S3 promises.
"""

import datetime
import json
import sys

from client import client_of, code_of

BUCKET = "versions"
LOCKED = "locked"


def main():
    s3 = client_of(json.load(sys.stdin))
    s3.create_bucket(Bucket=BUCKET)
    s3.create_bucket(Bucket=LOCKED, ObjectLockEnabledForBucket=True)
    report = {
        "states": states(s3),
        "pages": pages(s3),
        "suspended": suspended(s3),
        "configuration": configuration(s3),
        "locks": locks(s3),
        "emptied": empty(s3),
    }
    json.dump(report, sys.stdout)


def put(s3, body, **more):
    return s3.put_object(Bucket=BUCKET, Key="key", Body=body, **more).get("VersionId")


def body_of(s3, **version):
    return s3.get_object(Bucket=BUCKET, Key="key", **version)["Body"].read().decode()


def history(s3):
    found = s3.list_object_versions(Bucket=BUCKET, Prefix="key")
    versions = [(entry["VersionId"], entry["IsLatest"]) for entry in found.get("Versions", [])]
    markers = [(entry["VersionId"], entry["IsLatest"]) for entry in found.get("DeleteMarkers", [])]
    return versions, markers


def states(s3):
    """Unversioned, Enabled, a delete marker, and back."""
    assert "Status" not in s3.get_bucket_versioning(Bucket=BUCKET)
    assert put(s3, b"plain") is None
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    assert s3.get_bucket_versioning(Bucket=BUCKET)["Status"] == "Enabled"
    first, second = put(s3, b"first"), put(s3, b"second")
    assert history(s3) == ([(second, True), (first, False), ("null", False)], [])
    bodies = [body_of(s3), body_of(s3, VersionId=first), body_of(s3, VersionId="null")]

    deleted = s3.delete_object(Bucket=BUCKET, Key="key")
    assert deleted["DeleteMarker"] is True
    marker = deleted["VersionId"]
    assert history(s3)[1] == [(marker, True)]
    hidden = code_of(s3.get_object, Bucket=BUCKET, Key="key")
    of_marker = code_of(s3.get_object, Bucket=BUCKET, Key="key", VersionId=marker)
    gone = s3.delete_object(Bucket=BUCKET, Key="key", VersionId=marker)
    assert gone["DeleteMarker"] is True and gone["VersionId"] == marker

    s3.copy_object(
        Bucket=BUCKET, Key="key", CopySource={"Bucket": BUCKET, "Key": "key", "VersionId": first}
    )
    restored = body_of(s3)
    s3.delete_object(Bucket=BUCKET, Key="key", VersionId=second)
    unknown = code_of(s3.head_object, Bucket=BUCKET, Key="key", VersionId=second)
    malformed = code_of(s3.get_object, Bucket=BUCKET, Key="key", VersionId="what")
    return [bodies, hidden, of_marker, restored, unknown, malformed]


def pages(s3):
    """The paginator finds each once, whatever the size of its pages."""
    for number in range(7):
        s3.put_object(Bucket=BUCKET, Key=f"page/{number % 3}", Body=b"x")
    s3.delete_object(Bucket=BUCKET, Key="page/1")
    counts = []
    for size in (1, 2, 3, 1000):
        paginator = s3.get_paginator("list_object_versions")
        found = []
        for page in paginator.paginate(
            Bucket=BUCKET, Prefix="page/", PaginationConfig={"PageSize": size}
        ):
            for entry in page.get("Versions", []) + page.get("DeleteMarkers", []):
                found.append((entry["Key"], entry["VersionId"]))
        assert len(set(found)) == len(found)
        counts.append(len(found))
    return counts


def suspended(s3):
    """One version null, which is overwritten."""
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Suspended"})
    ids = [put(s3, b"one"), put(s3, b"other")]
    versions, _ = history(s3)
    nulls = [version for version, _ in versions if version == "null"]
    marker = s3.delete_object(Bucket=BUCKET, Key="key")["VersionId"]
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    return [ids, len(nulls), marker]


def configuration(s3):
    lock = s3.get_object_lock_configuration(Bucket=LOCKED)["ObjectLockConfiguration"]
    missing = code_of(s3.get_object_lock_configuration, Bucket=BUCKET)
    rule = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 3}}
    s3.put_object_lock_configuration(
        Bucket=LOCKED, ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": rule}
    )
    found = s3.get_object_lock_configuration(Bucket=LOCKED)["ObjectLockConfiguration"]
    both = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 3, "Years": 1}}
    refused = code_of(
        s3.put_object_lock_configuration,
        Bucket=LOCKED,
        ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": both},
    )
    suspend = code_of(
        s3.put_bucket_versioning,
        Bucket=LOCKED,
        VersioningConfiguration={"Status": "Suspended"},
    )
    return [lock, missing, found["Rule"] == rule, refused, suspend]


def locks(s3):
    """Default retention, retention by hand, legal hold and bypass."""
    made = s3.put_object(Bucket=LOCKED, Key="key", Body=b"kept")
    version = {"Bucket": LOCKED, "Key": "key", "VersionId": made["VersionId"]}
    head = s3.head_object(**version)
    assert head["ObjectLockMode"] == "GOVERNANCE"
    denied = code_of(s3.delete_object, **version)

    later = head["ObjectLockRetainUntilDate"] + datetime.timedelta(days=1)
    s3.put_object_retention(**version, Retention={"Mode": "GOVERNANCE", "RetainUntilDate": later})
    assert s3.get_object_retention(**version)["Retention"]["RetainUntilDate"] == later
    sooner = {"Mode": "GOVERNANCE", "RetainUntilDate": later - datetime.timedelta(days=2)}
    shortened = code_of(s3.put_object_retention, **version, Retention=sooner)
    s3.put_object_retention(**version, Retention=sooner, BypassGovernanceRetention=True)

    s3.put_object_legal_hold(**version, LegalHold={"Status": "ON"})
    assert s3.get_object_legal_hold(**version)["LegalHold"]["Status"] == "ON"
    held = code_of(s3.delete_object, **version, BypassGovernanceRetention=True)
    s3.put_object_legal_hold(**version, LegalHold={"Status": "OFF"})
    s3.delete_object(**version, BypassGovernanceRetention=True)

    until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    kept = s3.put_object(
        Bucket=LOCKED,
        Key="key",
        Body=b"kept",
        ObjectLockMode="COMPLIANCE",
        ObjectLockRetainUntilDate=until,
        ObjectLockLegalHoldStatus="ON",
    )
    compliance = code_of(
        s3.delete_object,
        Bucket=LOCKED,
        Key="key",
        VersionId=kept["VersionId"],
        BypassGovernanceRetention=True,
    )
    return [denied, shortened, held, compliance]


def empty(s3):
    """As scripts that empty a bucket do."""
    not_empty = code_of(s3.delete_bucket, Bucket=BUCKET)
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=BUCKET):
        entries = page.get("Versions", []) + page.get("DeleteMarkers", [])
        objects = [{"Key": entry["Key"], "VersionId": entry["VersionId"]} for entry in entries]
        answer = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": objects})
        assert "Errors" not in answer, answer["Errors"]
    s3.delete_bucket(Bucket=BUCKET)
    return [not_empty, code_of(s3.list_object_versions, Bucket=BUCKET)]


main()
