import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileSystemFor } from './devices.mjs';
import { allDevices, layout, NODES_MIN, nodesOf, POLICIES, PROXY_IP } from './layout.mjs';
import { choosePorts, TLS_PORTS } from './ports.mjs';
import { SERVICE_USER, USERS } from './users.mjs';

/**
 * The contents of a lab's `lab.json`: all that was decided when it was made, and all that its users
 * need. It does not say which processes live: see processes.mjs.
 *
 * @typedef {object} LabState
 * @property {string} id of this lab; its processes carry it
 * @property {string} dir absolute path
 * @property {'xfs' | 'plain'} fileSystem of the devices
 * @property {number} deviceBytes size of each XFS image
 * @property {boolean} filter whether proxy-1 and proxy-2 have Ringway's filters
 * @property {boolean} encryption
 * @property {boolean} tls whether Ringway reaches its proxies, and they memcached, by TLS
 * @property {number} nodeCount
 * @property {string} defaultPolicy its name
 * @property {string | undefined} swiftRoot folder of another Swift than the installed one
 * @property {number | undefined} shardRows undefined: no sharder runs; containers with so many objects are sharded
 * @property {boolean} statsd whether servers send their timers to the Lab's console
 * @property {number} proxyWorkers
 * @property {number} storageWorkers
 * @property {Record<string, string>} proxyOptions of `[app:proxy-server]`
 * @property {import('./ports.mjs').Ports} ports
 * @property {readonly string[]} endpoints of the proxies for Ringway, without TLS
 * @property {readonly string[]} tlsEndpoints the same with TLS; none without `--tls`
 * @property {string} certFile with `--tls`: what clients have to trust
 * @property {string} authUrl
 * @property {string} s3api URL of Swift's own S3
 * @property {string} s3apiAcl the same with `s3_acl`
 * @property {readonly { account: string, user: string, key: string, groups: string[] }[]} users
 * @property {{ account: string, user: string, key: string }} serviceUser
 * @property {readonly string[]} policies names, by index
 * @property {readonly { name: string, ip: string }[]} nodes
 * @property {readonly { name: string, node: string, folder: string }[]} devices
 * @property {string} gatewayConfig path of a configuration for Ringway
 * @property {string} swiftConf the folder that stands for /etc/swift
 * @property {string} logDir
 */

/** @param {string} dir @returns {LabState | undefined} undefined when there is no lab in this folder */
export function readState(dir) {
  const { stateFile } = layout(dir);
  if (!existsSync(stateFile)) return undefined;
  // Labs that were made before there was a choice.
  const former = { nodeCount: NODES_MIN, tls: false, tlsEndpoints: [] };
  return { ...former, ...JSON.parse(readFileSync(stateFile, 'utf8')) };
}

/**
 * @param {string} dir
 * @returns {LabState}
 * @throws {Error} for the user, when there is no lab in this folder
 */
export function requireState(dir) {
  const lab = readState(dir);
  if (lab === undefined) throw new Error(`no lab in ${dir}: npm run swift:up makes one`);
  return lab;
}

/**
 * The lab of a folder, made when there is none. Ports, file systems and sizes stay what they were
 * when it was made.
 *
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<LabState>}
 */
export async function openState(options) {
  const { dir, deviceBytes, filter, encryption, statsd, defaultPolicy, shardRows } = options;
  const { swiftRoot } = options;
  const { proxyWorkers, proxyOptions, storageWorkers } = options;
  const servers = {
    ...{ filter, encryption, statsd, defaultPolicy, shardRows, swiftRoot },
    ...{ proxyWorkers, proxyOptions, storageWorkers },
  };
  const known = readState(dir);
  if (known !== undefined) {
    refuseOther('--nodes', options.nodes, known.nodeCount);
    refuseOther('--tls', options.tls, known.tls);
    return save({ ...known, ...servers });
  }
  chmodSync(dir, 0o700);
  const id = randomBytes(8).toString('hex');
  const ports = await choosePorts(options.portBase);
  const fileSystem = fileSystemFor();
  const made = { dir, ports, nodeCount: options.nodes ?? NODES_MIN, tls: options.tls ?? false };
  return save({ id, fileSystem, deviceBytes, ...servers, ...made, ...describe(made) });
}

/**
 * Rings and addresses hold what was decided when the lab was made.
 *
 * @param {string} option
 * @param {number | boolean | undefined} wanted undefined: whatever there is
 * @param {number | boolean} made
 * @throws {Error} for the user
 */
function refuseOther(option, wanted, made) {
  if (wanted === undefined || wanted === made) return;
  throw new Error(`${option}: this lab was made with ${made}; --fresh makes another in its place`);
}

/** @param {Pick<LabState, 'dir' | 'ports' | 'nodeCount' | 'tls'>} lab */
function describe(lab) {
  const { dir, ports, tls } = lab;
  const url = (/** @type {keyof import('./ports.mjs').Ports} */ name) =>
    `http://${PROXY_IP}:${ports[name]}`;
  const paths = layout(dir);
  return {
    endpoints: [url('proxy-1'), url('proxy-2')],
    tlsEndpoints: tls ? TLS_PORTS.map((name) => url(name).replace('http:', 'https:')) : [],
    certFile: paths.certFile,
    authUrl: `${url('proxy-1')}/auth/v1.0`,
    s3api: url('proxy-s3api'),
    s3apiAcl: url('proxy-s3api-acl'),
    users: USERS,
    serviceUser: SERVICE_USER,
    policies: POLICIES.map(({ name }) => name),
    nodes: nodesOf(lab).map(({ name, ip }) => ({ name, ip })),
    devices: allDevices(lab).map(({ name, node, folder }) => ({ name, node: node.name, folder })),
    gatewayConfig: paths.gatewayConfig,
    swiftConf: paths.conf,
    logDir: paths.log,
  };
}

/**
 * Writes in one step: a reader finds a whole file or none.
 *
 * @param {LabState} lab
 */
function save(lab) {
  const { stateFile } = layout(lab.dir);
  writeFileSync(`${stateFile}.new`, `${JSON.stringify(lab, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${stateFile}.new`, stateFile);
  return lab;
}
