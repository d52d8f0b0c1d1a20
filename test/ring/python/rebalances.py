"""Prints random builders, changes to them, and what a rebalance of Swift makes of both: COUNT SEED.

With a file of golden cases as the third argument, these are the builders.
"""
import base64
import copy
import gzip
import json
import random
import sys
import warnings
from array import array

from swift.common.ring import RingBuilder, builder as builder_module

from topologies import random_devices, whole_devices

NOW = 1700000000
RUNS = 3
builder_module.time = lambda: NOW


def random_builder(rng):
    replicas = rng.choice([1, 2, 3, 3, 3, 4, 2.5, 3.25])
    builder = RingBuilder(rng.randint(3, 7), replicas, rng.choice([0, 1, 24]))
    for device in whole_devices(rng, replicas, 20):
        builder.add_dev(dict(device))
    builder.set_overload(rng.choice([0, 0, 0.1, 1]))
    builder.rebalance(seed=rng.random())
    builder._last_part_moves = array('B', [rng.choice([0, 3, 30, 255]) for _ in range(builder.parts)])
    builder._last_part_moves_epoch = NOW - rng.choice([0, 3600, 7300])
    return builder


def change(rng, builder):
    """Changes the builder; returns the changes as the engine has them."""
    changes = []
    kind = rng.choice(['weights', 'add', 'remove', 'replicas', 'overload', 'all', 'nothing'])
    if kind in ('weights', 'all'):
        for device in builder.devs:
            if rng.random() < 0.3:
                weight = rng.choice([0, 10.0, 100.0, 333.3])
                builder.set_dev_weight(device['id'], weight)
                changes.append({'kind': 'set', 'id': device['id'], 'to': {'weight': weight}})
    if kind in ('remove', 'all'):
        for device in rng.sample(builder.devs, rng.randint(1, max(1, len(builder.devs) // 4))):
            builder.remove_dev(device['id'])
            changes.append({'kind': 'remove', 'id': device['id']})
    if kind in ('add', 'all'):
        first = len(builder.devs)
        for device in random_devices(rng, 5, holes=False):
            device.update(id=first + device['id'], device='new%d' % device['id'])
            builder.add_dev(dict(device))
            device.setdefault('replication_ip', device['ip'])
            device.setdefault('replication_port', device['port'])
            changes.append({'kind': 'add', 'device': device})
    if kind in ('replicas', 'all'):
        replicas = rng.choice([1, 2, 3, 4, 2.5, 3.25])
        builder.set_replicas(replicas)
        changes.append({'kind': 'replicas', 'replicas': replicas})
    if kind in ('overload', 'all'):
        overload = rng.choice([0, 0.1, 0.5])
        builder.set_overload(overload)
        changes.append({'kind': 'overload', 'overload': overload})
    return changes


def golden_builder(case):
    builder = RingBuilder(case['pp'], case['rep'], 1)
    for device in case['devs']:
        builder.add_dev(dict(device))
    builder.set_overload(case['ol'])
    builder._replica2part2dev = [array('H', row) for row in case['rows']]
    for row in case['rows']:
        for dev_id in row:
            builder.devs[dev_id]['parts'] += 1
    builder.pretend_min_part_hours_passed()
    return builder


def golden_change(case, builder):
    for dev_id, weight in case['w2'].items():
        builder.set_dev_weight(int(dev_id), weight)
    return [{'kind': 'set', 'id': int(dev_id), 'to': {'weight': weight}}
            for dev_id, weight in case['w2'].items()]


def state_of(builder):
    return {
        'partPower': builder.part_power,
        'replicas': builder.replicas,
        'minPartHours': builder.min_part_hours,
        'overload': builder.overload,
        'devices': [device and {key: value for key, value in device.items()
                                if key not in ('parts', 'parts_wanted', 'tiers')}
                    for device in builder.devs],
        'rows': [list(row) for row in builder._replica2part2dev],
        'hoursSinceMove': base64.b64encode(bytes(builder._last_part_moves)).decode('ascii'),
        'countedAtS': builder._last_part_moves_epoch,
        'gatherStart': builder._last_part_gather_start,
        'version': builder.version,
    }


def run(builder, before, seed):
    builder = copy.deepcopy(builder)
    builder.rebalance(seed=seed)
    builder.validate()
    return {
        'moved': sum(old != new for olds, news in zip(before, builder._replica2part2dev)
                     for old, new in zip(olds, news)),
        'balance': builder.get_balance(),
        'dispersion': builder.dispersion,
    }


def answer(builder, make_changes):
    state = state_of(builder)
    before = [list(row) for row in builder._replica2part2dev]
    changes = make_changes(builder)
    try:
        runs = [run(builder, before, seed) for seed in range(RUNS)]
    except Exception as error:
        runs = type(error).__name__
    return json.dumps({'state': state, 'changes': changes, 'nowS': NOW, 'runs': runs})


def main(count, seed, golden):
    warnings.simplefilter('ignore')
    if golden:
        with gzip.open(golden, 'rt') as file:
            for case in json.load(file)[:count]:
                print(answer(golden_builder(case), lambda builder: golden_change(case, builder)))
        return
    rng = random.Random(seed)
    for _ in range(count):
        print(answer(random_builder(rng), lambda builder: change(rng, builder)))


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
