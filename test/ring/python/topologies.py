"""Random clusters, the same for the same seed."""


def random_devices(rng, count_max=24, holes=True):
    """Devices as a ring file has them; None where one was removed."""
    count = rng.randint(1, count_max)
    regions = rng.choice([1, 1, 2, 3])
    zones = rng.choice([1, 2, 3])
    servers = rng.choice([1, 2, 3, 8])
    weights = rng.choice([[100.0], [50.0, 100.0, 300.0], [0, 1.5, 7, 1000.0]])
    devices = []
    for dev_id in range(count):
        if holes and rng.random() < 0.1:
            devices.append(None)
            continue
        number = rng.randint(1, servers)
        ip = rng.choice(['10.0.0.%d' % number, '10.0.0.%d' % number, 'fd00::%x' % number])
        device = {
            'id': dev_id,
            'region': rng.randint(1, regions),
            'zone': rng.randint(0, zones),
            'ip': ip,
            'port': rng.choice([6200, 6201]),
            'device': 'd%d' % dev_id,
            'weight': rng.choice(weights),
            'meta': rng.choice(['', 'shelf 1', '\u2603 "quoted"']),
        }
        if rng.random() < 0.5:
            device['replication_ip'] = '192.168.0.%d' % number
            device['replication_port'] = 6300
        devices.append(device)
    if not any(devices):
        return random_devices(rng, count_max, holes)
    return devices


def whole_devices(rng, replicas, count_max=24):
    """Devices for a ring builder: enough of them with a weight."""
    while True:
        devices = random_devices(rng, count_max, holes=False)
        if sum(1 for d in devices if d['weight'] > 0) >= replicas:
            return devices
