"""Tells where the rings of a node want data to be, and where the disks of all nodes have it:

    placement.py NODES_FOLDER CONF_FOLDER ADDRESSES

CONF_FOLDER is the etc/swift of a node, ADDRESSES a JSON object of addresses by node. The answer is JSON: for each ring, lists of "PARTITION IP/DEVICE".
Rings are read by Swift's own code.
"""
import json
import os
import re
import sys

from swift.common.ring import Ring

DATA = {'account': 'accounts', 'container': 'containers', 'object': 'objects'}
FILES = ('.db', '.data')


def datadir(ring):
    kind, _, index = ring.partition('-')
    return DATA[kind] + ('-' + index if index else '')


def assigned(ring):
    return sorted({
        '%d %s/%s' % (part, ring.devs[device]['ip'], ring.devs[device]['device'])
        for row in ring._replica2part2dev_id
        for part, device in enumerate(row)})


def has_data(folder):
    return any(name.endswith(FILES) for _, _, names in os.walk(folder) for name in names)


def found(nodes, name, addresses):
    places = []
    for node in sorted(os.listdir(nodes)):
        devices = os.path.join(nodes, node, 'srv', 'node')
        if node not in addresses or not os.path.isdir(devices):
            continue
        for device in sorted(os.listdir(devices)):
            folder = os.path.join(devices, device, datadir(name))
            if not os.path.isdir(folder):
                continue
            for part in os.listdir(folder):
                if part.isdigit() and has_data(os.path.join(folder, part)):
                    places.append('%s %s/%s' % (part, addresses[node], device))
    return sorted(places)


def main(nodes, conf, addresses):
    answer = {}
    for file in sorted(os.listdir(conf)):
        match = re.match(r'(.+)\.ring\.gz$', file)
        if match:
            name = match.group(1)
            answer[name] = {
                'assigned': assigned(Ring(conf, ring_name=name)),
                'found': found(nodes, name, addresses)}
    json.dump(answer, sys.stdout)


main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
