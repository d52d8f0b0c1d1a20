"""Prints what Swift makes of each swift.conf: a JSON list of texts in Latin-1 on stdin."""
import base64
import contextlib
import io
import json
import os
import sys
import tempfile

from swift.common import storage_policy, utils


def policy_of(policy):
    coding = None
    if policy.policy_type == storage_policy.EC_POLICY:
        coding = [policy.ec_type, policy.ec_ndata, policy.ec_nparity, policy.ec_segment_size,
                  policy.ec_duplication_factor]
    return [int(policy), policy.alias_list, bool(policy.is_default), bool(policy.is_deprecated),
            policy.ring_name, coding]


def conf_of(path):
    utils.SWIFT_CONF_FILE = path
    utils.HASH_PATH_PREFIX = utils.HASH_PATH_SUFFIX = b''
    utils.validate_hash_conf()
    storage_policy.reload_storage_policies()
    return {
        'salt': [base64.b64encode(bytes(part)).decode('ascii')
                 for part in (utils.HASH_PATH_PREFIX, utils.HASH_PATH_SUFFIX)],
        'policies': sorted(policy_of(policy) for policy in storage_policy.POLICIES),
    }


with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, 'swift.conf')
    for text in json.load(sys.stdin):
        with open(name, 'w', newline='', encoding='latin1') as conf:
            conf.write(text)
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                answer = conf_of(name)
        except (Exception, SystemExit) as error:  # whatever it is, Swift would not start
            answer = '%s %s' % (type(error).__name__, error)
        print(json.dumps(answer))
