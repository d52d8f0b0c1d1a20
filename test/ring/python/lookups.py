"""
Prints random rings, and what Swift says of them, one JSON object a line: COUNT SEED, and how many
of the first rings have how many NAMES looked up as swift-get-nodes does.
"""
import base64
import itertools
import json
import os
import random
import sys
import tempfile
from array import array

from swift.common import utils

utils.HASH_PATH_PREFIX = b'pr\xe9'
utils.HASH_PATH_SUFFIX = b'suffix'

from swift.common.ring import Ring, RingData  # noqa: E402

from topologies import random_devices  # noqa: E402

NAMES = [['a'], ['AUTH_test', 'c'], ['AUTH_\u00fc', '\u2603 x', 'a/b//\U0001f600'], ['', 'c', 'o'],
         ['A' * 300, 'c' * 256, '\u2603' * 1024]]


def random_ring(rng, part_power):
    devices = random_devices(rng)
    ids = [d['id'] for d in devices if d]
    parts = 2 ** part_power
    lengths = [parts] * rng.randint(1, 5)
    if rng.random() < 0.4 and parts > 1:
        lengths.append(rng.randint(1, parts - 1))
    # Mostly a few devices, so that some domains have few partitions or none.
    some = rng.sample(ids, rng.randint(1, len(ids)))
    rows = [array('H', rng.choices(some, k=length)) for length in lengths]
    if rng.random() < 0.5:
        rows[0][rng.randrange(parts)] = rng.choice(ids)
    next_power = rng.choice([None, None, part_power, part_power + 1])
    version = rng.choice([None, rng.randint(0, 10 ** 6)])
    return RingData(rows, devices, 32 - part_power, next_power, version)


def random_name(rng):
    letters = 'abcdefghijklmnopqrstuvwxyz0123456789 /.-_\u00e4\u2603\U0001f600'
    word = lambda most: ''.join(rng.choices(letters, k=rng.randint(1, most)))
    return ['AUTH_' + word(12).replace('/', '_'), word(20).replace('/', '_'), word(60)]


def placed(ring, name):
    """As swift-get-nodes prints it: primaries, and as many handoffs."""
    part, primaries = ring.get_nodes(*name)
    handoffs = itertools.islice(ring.get_more_nodes(part), len(primaries))
    return [name, part, utils.hash_path(*name),
            [node['id'] for node in primaries], [node['id'] for node in handoffs]]


def main(count, seed, named_rings=0, names=0):
    rng = random.Random(seed)
    # Another one, so that rings are the same ones with and without names.
    name_rng = random.Random(seed)
    for number in range(count):
        # In rings of 2^17 partitions and more, Swift leaves some of them out of the search.
        part_power = 16 + number % 3 if number % 500 == 0 else rng.randint(0, 8)
        random_ring(rng, part_power).save('one.ring.gz')
        ring = Ring('one.ring.gz')
        parts = [rng.randrange(ring.partition_count) for _ in range(5)]
        with open('one.ring.gz', 'rb') as file:
            packed = file.read()
        print(json.dumps({
            'ring': base64.b64encode(packed).decode('ascii'),
            'md5': ring.md5,
            'replicas': ring.replica_count,
            'version': ring.version,
            'nextPartPower': ring.next_part_power,
            'lookups': [[part,
                         [node['id'] for node in ring.get_part_nodes(part)],
                         [node['id'] for node in ring.get_more_nodes(part)]]
                        for part in parts],
            'places': [placed(ring, random_name(name_rng))
                       for _ in range(names if number < named_rings else 0)],
            'names': [[name, ring.get_part(*name), utils.hash_path(*name)] for name in NAMES],
        }))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.fsync = lambda _: None
    main(*map(int, sys.argv[1:]))
