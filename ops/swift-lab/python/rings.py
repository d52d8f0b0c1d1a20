"""Builds rings, all in one process: rings.py FOLDER < JSON

The JSON is {partPower, rings: [{name, replicas, devices: [{zone, ip, port, device}]}]}. The seed is
fixed, so that equal input gives equal rings.
"""
import json
import os
import sys

from swift.common.ring import RingBuilder

SEED = 42

folder = sys.argv[1]
plan = json.load(sys.stdin)
for ring in plan['rings']:
    builder = RingBuilder(plan['partPower'], ring['replicas'], 1)
    for device in ring['devices']:
        builder.add_dev(dict(device, region=1, weight=100,
                             replication_ip=device['ip'], replication_port=device['port']))
    builder.rebalance(seed=SEED)
    builder.validate()
    builder.get_ring().save(os.path.join(folder, ring['name'] + '.ring.gz'))
