"""Prints rings out of random builders, and what Swift plans and says of them: COUNT SEED."""
import base64
import json
import os
import random
import sys
import tempfile
import warnings

from swift.common import utils

utils.HASH_PATH_SUFFIX = b'suffix'

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.ring.utils import dispersion_report, tiers_for_dev  # noqa: E402

from topologies import whole_devices  # noqa: E402


def named(values):
    return {'/'.join(str(part) for part in tier): value for tier, value in values.items()}


def builder_of(rng):
    replicas = rng.choice([1, 2, 3, 3, 3, 4, 5, 1.75, 2.5, 3.25])
    builder = RingBuilder(rng.randint(0, 6), replicas, 1)
    for device in whole_devices(rng, replicas):
        builder.add_dev(dict(device))
    builder.set_overload(rng.choice([0, 0, 0.1, 0.5, 1, 10]))
    builder.rebalance(seed=rng.random())
    return builder


def plan_of(builder):
    for device in builder._iter_devs():
        device['tiers'] = tiers_for_dev(device)
    plan = builder._build_replica_plan()
    builder._set_parts_wanted(plan)
    return {
        'weighted': named(builder._build_weighted_replicas_by_tier()),
        'wanted': named(builder._build_wanted_replicas_by_tier()),
        'target': named({tier: each['target'] for tier, each in plan.items()}),
        'requiredOverload': builder.get_required_overload(),
        'partsWanted': {str(d['id']): d['parts_wanted'] for d in builder._iter_devs()
                        if d['weight']},
    }


def main(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        builder = builder_of(rng)
        if rng.random() < 0.5:
            for device in builder.devs:
                if rng.random() < 0.3:
                    builder.set_dev_weight(device['id'], rng.choice([0, 10.0, 100.0, 333.3]))
        builder.get_ring().save('one.ring.gz')
        with open('one.ring.gz', 'rb') as file:
            packed = file.read()
        try:
            plan = plan_of(builder)
        except Exception as error:
            plan = type(error).__name__
        weights = sum(device['weight'] for device in builder.devs)
        report = dispersion_report(builder, verbose=True, recalculate=True)
        print(json.dumps({
            'ring': base64.b64encode(packed).decode('ascii'),
            'replicas': builder.replicas,
            'overload': builder.overload,
            'plan': plan,
            'balance': builder.get_balance() if weights else None,
            'balances': builder._build_balance_per_dev() if weights else None,
            'dispersion': builder.dispersion,
            'tiers': {name: [each['max_replicas'], each['replicas'], each['dispersion']]
                      for name, each in report['graph']},
        }))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.fsync = lambda _: None
    warnings.simplefilter('ignore')
    main(int(sys.argv[1]), int(sys.argv[2]))
