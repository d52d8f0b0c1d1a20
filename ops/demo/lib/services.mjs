import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  BENCHMARKS,
  helperPrograms,
  programPath,
  PYTHON,
  pythonFile,
} from '../../swift-lab/lib/programs.mjs';
import { rosterOf } from '../../swift-lab/lib/roster.mjs';
import { answering } from '../../swift-lab/lib/up.mjs';
import { swiftCommand } from '../../swift-lab/lib/services.mjs';
import { LOGIN } from './cluster.mjs';
import { peerOrigin } from './peer.mjs';

/**
 * The processes of a demo: Deploy, Swift's servers from the files that Deploy has installed, Ringway.
 *
 * @typedef {import('../../swift-lab/lib/services.mjs').Service} Service
 * @typedef {import('./cluster.mjs').Places} Places
 * @typedef {import('./cluster.mjs').DemoPorts} DemoPorts
 * @typedef {import('./cluster.mjs').DemoSpec} DemoSpec
 */

const DRIVER = new URL('../../../dist/console/nodes/local-procs.js', import.meta.url).href;
const MAIN = fileURLToPath(new URL('../../../dist/supervisor/main.js', import.meta.url));
const STORAGE = /** @type {const} */ (['account', 'container', 'object']);
/** Daemons of storage nodes: none runs by itself in a demo, the Lab runs passes of them. */
const DAEMONS = [
  ...STORAGE.flatMap((type) => [`${type}-replicator`, `${type}-auditor`]),
  ...['container-updater', 'object-updater', 'object-reconstructor', 'account-reaper'],
];

/**
 * The control service alone: it makes the files that the gateway begins with.
 *
 * @param {Places} places
 * @param {DemoPorts} ports
 * @returns {Service}
 */
export function deployService(places, ports) {
  const config = {
    listen: `127.0.0.1:${ports.deploy}`,
    state_dir: 'state',
    token_file: 'token',
    secrets_dir: 'secrets',
    install_root: places.nodes,
    // Several nodes on one machine: each has its own etc, srv and var.
    files_for: 'folder',
    ramp_poll_s: 5,
  };
  mkdirSync(places.nodes);
  writeJson(places.deployConfig, config);
  return {
    name: 'deploy',
    command: process.execPath,
    args: [MAIN, 'deploy', '--config', places.deployConfig],
    env: {},
    ...{ ip: '127.0.0.1', port: ports.deploy, isHttp: false },
    log: `${places.log}/deploy.log`,
  };
}

/**
 * The daemons that copy what is not in its place. They listen nowhere: the port of a server stands in
 * for theirs.
 *
 * @param {Places} places
 * @param {DemoPorts} ports
 * @param {DemoSpec} spec
 * @returns {Service[]}
 */
export function copyingServices(places, ports, { nodes }) {
  return nodes.flatMap(({ name, storage_ip: ip }) => {
    const root = places.node(name);
    const conf = `${root}/etc/swift`;
    const daemon = (/** @type {string} */ type, /** @type {string} */ what) => ({
      name: `${type}-${what}.${name}`,
      ...swiftCommand(conf, `swift-${type}-${what}`, [`${conf}/${type}-server.conf`]),
      ...{ ip, port: ports.object, isHttp: true },
      log: `${places.log}/${type}-${what}.${name}.log`,
    });
    return [
      ...STORAGE.map((type) => daemon(type, 'replicator')),
      daemon('object', 'reconstructor'),
    ];
  });
}

/**
 * Swift's servers and memcached, with the folders that they need.
 *
 * @param {Places} places
 * @param {DemoPorts} ports
 * @param {DemoSpec} spec
 * @returns {Service[]}
 */
export function swiftServices(places, ports, { nodes }) {
  return nodes.flatMap(({ name, storage_ip: ip, roles }) => {
    const root = places.node(name);
    for (const folder of ['var/cache/swift', 'var/log', 'var/run', 'var/lock', 'var/lib/ringway']) {
      mkdirSync(`${root}/${folder}`, { recursive: true, mode: 0o700 });
    }
    const conf = `${root}/etc/swift`;
    const server = (/** @type {string} */ type, /** @type {number} */ port) => ({
      name: `${type}-server.${name}`,
      ...swiftCommand(conf, `swift-${type}-server`, [`${conf}/${type}-server.conf`]),
      ...{ ip, port, isHttp: true },
      log: `${places.log}/${type}-server.${name}.log`,
      pidFile: `${root}/var/run/${type}-server.pid`,
    });
    return [
      ...STORAGE.map((type) => server(type, ports[type])),
      rsyncd(places, name, ip, ports.rsync),
      ...(roles.includes('proxy')
        ? [memcached(places, ip, ports.memcached), server('proxy', ports.proxy)]
        : []),
    ];
  });
}

/**
 * @param {Places} places
 * @param {string} ip
 * @param {number} port
 * @returns {Service}
 */
function memcached({ log }, ip, port) {
  return {
    name: 'memcached',
    command: programPath('memcached'),
    // As Deploy's memcached.conf has it, but for its user and for staying in the foreground.
    args: ['-u', 'root', '-l', ip, '-p', String(port), '-U', '0', '-m', '64', '-c', '4096'],
    env: {},
    ...{ ip, port, isHttp: false },
    log: `${log}/memcached.log`,
  };
}

/**
 * @param {Places} places
 * @param {string} node
 * @param {string} ip
 * @param {number} port
 * @returns {Service}
 */
function rsyncd({ node: rootOf, log }, node, ip, port) {
  const name = `rsyncd.${node}`;
  const root = rootOf(node);
  const config = `${root}/var/lib/ringway/rsyncd.conf`;
  // Deploy's is for a host where Swift has a user of its own; here all runs as who starts it.
  const identity = process.getuid?.() === 0 ? 'uid = root\ngid = root\n' : '';
  const installed = readFileSync(`${root}/etc/rsyncd.conf`, 'utf8');
  writeFileSync(config, identity + installed.replace(/^[ug]id = .*\n/gm, ''), { mode: 0o600 });
  return {
    name,
    command: programPath('rsync'),
    args: ['--daemon', '--no-detach', '--log-file=/dev/stderr', `--config=${config}`],
    env: {},
    ...{ ip, port, isHttp: false },
    log: `${log}/${name}.log`,
    // rsync writes one of its own besides, `rsyncd.pid`.
    pidFile: `${root}/var/run/rsync.pid`,
  };
}

/**
 * The services of a node that the Lab may stop and start.
 *
 * @param {string} id
 * @param {Places} places
 * @param {string} node
 * @param {readonly Service[]} services of all nodes
 */
function nodeRoster(id, places, node, services) {
  const root = places.node(node);
  const conf = `${root}/etc/swift`;
  const own = services.flatMap((service) => {
    const [name = '', place] = service.name.split('.');
    return place === node ? [[name, service]] : [];
  });
  const daemons = DAEMONS.map((name) => {
    const [type = ''] = name.split('-');
    const command = swiftCommand(conf, `swift-${name}`, [`${conf}/${type}-server.conf`]);
    return [name, { name: `${name}.${node}`, ...command, pidFile: `${root}/var/run/${name}.pid` }];
  });
  return rosterOf(id, Object.fromEntries([...own, ...daemons]));
}

/**
 * Has the console's node driver start the services of all nodes, as the Lab starts them again, and
 * waits until they answer.
 *
 * @param {{ id: string, places: Places, spec: DemoSpec }} demo
 * @param {readonly Service[]} services of nodes; others are left alone
 * @param {number} limitMs for each to answer
 */
export async function startByDriver({ id, places, spec }, services, limitMs) {
  /** @type {{ LocalProcs: new () => { act(node: object, service: string, verb: 'start'): Promise<unknown> } }} */
  const { LocalProcs } = await import(DRIVER);
  const driver = new LocalProcs();
  const starts = spec.nodes.flatMap(({ name: node, storage_ip }) => {
    const roster = nodeRoster(id, places, node, services);
    return services.map(async (service) => {
      const [name = '', place] = service.name.split('.');
      const known = place === node ? roster[name] : undefined;
      if (known === undefined) return;
      const own = { [name]: { ...known, log_file: service.log } };
      await driver.act({ name: node, storage_ip, services: own }, name, 'start');
      await answering(service, [], limitMs);
    });
  });
  await Promise.all(starts);
}

/**
 * Makes the folders of the devices, where they are not there yet.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 */
export function makeDevices(places, { nodes }) {
  for (const { name, devices } of nodes) {
    for (const device of devices) {
      mkdirSync(`${places.devices}/${name}/${device.name}`, { recursive: true });
    }
    // The Museum reads the disks of all nodes below one folder, and follows no link.
    mkdirSync(`${places.node(name)}/srv`, { recursive: true });
    const link = `${places.node(name)}/srv/node`;
    if (!existsSync(link)) symlinkSync(`${places.devices}/${name}`, link);
  }
}

/**
 * @param {Places} places
 * @param {DemoSpec} spec
 * @returns {string | undefined} what is wrong with the file system of the devices, for the user
 */
export function fileSystemNote(places, spec) {
  makeDevices(places, spec);
  const { status } = spawnSync(PYTHON, [pythonFile('probe.py'), places.nodes]);
  return status === 0
    ? undefined
    : 'files there take no large extended attributes: metadata of more than about 4 KiB will fail. A --dir on XFS or tmpfs has none of that, such as /dev/shm/ringway-demo';
}

/**
 * Ringway as Deploy has configured it on the first node, with the console and the control service
 * besides.
 *
 * @param {{ id: string, places: Places, ports: DemoPorts, spec: DemoSpec }} demo
 * @param {readonly Service[]} services of Swift, which the Lab may stop
 * @returns {Service}
 */
export function gatewayService({ id, places, ports, spec: { nodes } }, services) {
  const [first] = nodes;
  const installed = `${places.node(first?.name ?? '')}/etc/ringway/ringway.json`;
  writeJson(places.gatewayConfig, {
    ...JSON.parse(readFileSync(installed, 'utf8')),
    listeners: 1,
    // A demo has few requests: each of them has its stages measured.
    stage_sample_every: 1,
    console_listen: `127.0.0.1:${ports.console}`,
    console_config: places.consoleConfig,
    deploy_config: places.deployConfig,
  });
  writeJson(places.consoleConfig, {
    cluster_name: 'Ringway demo',
    accounts: [{ ...LOGIN, role: 'operator' }],
    lab_enabled: true,
    lab_mutations: true,
    store_dir: `${places.node(first?.name ?? '')}/etc/swift`,
    ...helperPrograms(),
    node_root: places.devices,
    node_driver: 'local-procs',
    cluster_nodes: nodes.map(({ name, storage_ip: ip, devices }) => ({
      ...{ name, storage_ip: ip },
      devices: devices.map((device) => device.name),
      services: nodeRoster(id, places, name, services),
    })),
    shadow_root: `${places.dir}/shadow`,
    shadow_peer_base: peerOrigin(ports),
    shadow_peer_auth: `${peerOrigin(ports)}/auth/v1.0`,
    shadow_peer_label: 's3api',
    statsd_listen: `127.0.0.1:${ports.statsd}`,
    ...BENCHMARKS,
  });
  return {
    name: 'ringway',
    command: process.execPath,
    args: [MAIN, 'start', '--config', places.gatewayConfig],
    env: {},
    // The last of what it starts: the port of the console.
    ...{ ip: '127.0.0.1', port: ports.console, isHttp: false },
    log: `${places.log}/ringway.log`,
  };
}

/**
 * @param {string} file
 * @param {object} value
 */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
}
