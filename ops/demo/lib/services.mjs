import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { programPath, PYTHON, pythonFile } from '../../swift-lab/lib/programs.mjs';
import { swiftCommand } from '../../swift-lab/lib/services.mjs';
import { LOGIN } from './cluster.mjs';

/**
 * The processes of a demo: Deploy, Swift's servers from the files that Deploy has installed, Ringway.
 *
 * @typedef {import('../../swift-lab/lib/services.mjs').Service} Service
 * @typedef {import('./cluster.mjs').Places} Places
 * @typedef {import('./cluster.mjs').DemoPorts} DemoPorts
 * @typedef {import('./cluster.mjs').DemoSpec} DemoSpec
 */

const MAIN = fileURLToPath(new URL('../../../dist/supervisor/main.js', import.meta.url));
const GET_NODES = '/usr/bin/swift-get-nodes';
const STORAGE = /** @type {const} */ (['account', 'container', 'object']);

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
    });
    return [
      ...STORAGE.map((type) => server(type, ports[type])),
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
 * Makes the folders of the devices.
 *
 * @param {Places} places
 * @param {DemoSpec} spec
 * @returns {string | undefined} what is wrong with their file system, for the user
 */
export function fileSystemNote(places, { nodes }) {
  for (const { name, devices } of nodes) {
    for (const device of devices) {
      mkdirSync(`${places.node(name)}/srv/node/${device.name}`, { recursive: true });
    }
  }
  const { status } = spawnSync(PYTHON, [pythonFile('probe.py'), places.nodes]);
  return status === 0
    ? undefined
    : 'files there take no large extended attributes: metadata of more than about 4 KiB will fail. A --dir on XFS or tmpfs has none of that, such as /dev/shm/ringway-demo';
}

/**
 * Ringway as Deploy has configured it on the first node, with the console and the control service
 * besides.
 *
 * @param {Places} places
 * @param {DemoPorts} ports
 * @param {DemoSpec} spec
 * @returns {Service}
 */
export function gatewayService(places, ports, { nodes }) {
  const [first] = nodes;
  const installed = `${places.node(first?.name ?? '')}/etc/ringway/ringway.json`;
  writeJson(places.gatewayConfig, {
    ...JSON.parse(readFileSync(installed, 'utf8')),
    listeners: 1,
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
    ...(existsSync(GET_NODES) ? { getnodes_bin: GET_NODES } : {}),
    cluster_nodes: nodes.map(({ name, storage_ip: ip, devices }) => ({
      ...{ name, storage_ip: ip },
      devices: devices.map((device) => device.name),
    })),
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
