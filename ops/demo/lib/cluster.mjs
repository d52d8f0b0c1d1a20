import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The demo's cluster: its nodes on loopback addresses, its ports, its specification. */

/** The address of each node, the first having the proxy and the gateway. */
export const ADDRESSES = /** @type {const} */ ([
  '127.0.1.1',
  '127.0.1.2',
  '127.0.1.3',
  '127.0.1.4',
]);

/** The address of a node that can be added. */
export const SPARE_ADDRESS = '127.0.1.5';

const DEVICES = ['d1', 'd2'];

/** Every node has the same ports, each on its own address. */
export const PORT_NAMES = /** @type {const} */ ([
  'account',
  'container',
  'object',
  'rsync',
  'memcached',
  'proxy',
  's3',
  'admin',
  'console',
  'deploy',
  // UDP: the console takes the timers of Swift there.
  'statsd',
  // The peer that Shadow compares the cluster with: a proxy with s3api.
  'peer',
  // Swift insists on a syslog server: nothing listens here.
  'no-syslog',
]);

/** @typedef {Record<(typeof PORT_NAMES)[number], number>} DemoPorts */
/** @typedef {ReturnType<typeof placesOf>} Places */
/** @typedef {ReturnType<typeof demoSpec>} DemoSpec */

/** The user of the console and of S3. */
export const LOGIN = { account: 'demo', user: 'operator' };

/** @param {string} dir absolute path of the demo's folder */
export function placesOf(dir) {
  return {
    dir,
    /** Addresses and the login, for programs. */
    state: `${dir}/demo.json`,
    token: `${dir}/deploy/token`,
    secrets: `${dir}/deploy/secrets`,
    deployConfig: `${dir}/deploy/deploy.json`,
    gatewayConfig: `${dir}/ringway.json`,
    consoleConfig: `${dir}/console.json`,
    log: `${dir}/log`,
    /** The root of a node: its files are in etc, its devices in srv/node. */
    node: (/** @type {string} */ name) => `${dir}/nodes/${name}`,
    nodes: `${dir}/nodes`,
    /** Where the proxies count how long their stages take. */
    stages: `${dir}/stages`,
    peer: `${dir}/peer`,
    /** The devices of all nodes: `srv/node` of each is a link to its own. */
    devices: `${dir}/devices`,
  };
}

/**
 * @param {Places} places
 * @param {string} key of the user who logs in
 */
export function writeSecrets({ dir, secrets, token, log }, key) {
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  mkdirSync(log);
  mkdirSync(`${dir}/deploy/state`, { mode: 0o700 });
  const write = (/** @type {string} */ file, /** @type {string} */ text) => {
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
  };
  write(token, randomBytes(16).toString('hex'));
  for (const name of ['hash-prefix', 'hash-suffix', 'gateway-key', 'filter-secret']) {
    write(`${secrets}/${name}`, randomBytes(32).toString('hex'));
  }
  write(`${secrets}/operator-key`, key);
}

/**
 * @param {DemoPorts} ports
 * @param {Places} places
 */
export function demoSpec(ports, places) {
  const { username } = userInfo();
  const common = {
    user: username,
    ...{ log_udp_host: '127.0.0.1', log_udp_port: ports['no-syslog'] },
    ...{ log_statsd_host: '127.0.0.1', log_statsd_port: ports.statsd },
  };
  // One process for each server: half the memory, and one process to stop.
  const server = { ...common, mount_check: false, workers: 0 };
  const ring = (/** @type {string} */ name, replicas = 3) => ({
    ...{ name, replicas, part_power: 8 },
    // To try changes one after the other; a cluster with data needs at least an hour.
    min_part_hours: 0,
  });
  return {
    api_version: 'v1',
    cluster: 'demo',
    hash: { prefix_ref: 'hash-prefix', suffix_ref: 'hash-suffix' },
    policies: [
      { index: 0, name: 'gold', default: true },
      { index: 1, name: 'silver' },
      {
        ...{ index: 2, name: 'ec21', type: 'erasure_coding' },
        ec: { type: 'liberasurecode_rs_vand', k: 2, m: 1 },
      },
    ],
    rings: [
      ring('account'),
      ring('container'),
      ring('object'),
      ring('object-1', 2),
      ring('object-2'),
    ],
    nodes: ADDRESSES.map((ip, at) => ({
      name: `node${at + 1}`,
      zone: at + 1,
      storage_ip: /** @type {string} */ (ip),
      roles: ['account', 'container', 'object', ...(at === 0 ? ['proxy', 'expirer'] : [])],
      ports: {
        account: ports.account,
        container: ports.container,
        object: ports.object,
        rsync: ports.rsync,
        memcached: ports.memcached,
      },
      devices: DEVICES.map((name) => ({ name, weight: 100 })),
    })),
    proxy: {
      port: ports.proxy,
      workers: 0,
      pipeline_options: { ringway: { stage_file: places.stages } },
      auth: {
        type: 'tempauth',
        users: [
          {
            ...{ account: 'gateway', user: 'gw', key_ref: 'gateway-key' },
            groups: ['.reseller_admin'],
          },
          { ...LOGIN, key_ref: 'operator-key', groups: ['.admin'] },
        ],
      },
    },
    gateway: {
      s3_port: ports.s3,
      admin_port: ports.admin,
      user: 'gateway:gw',
      key_ref: 'gateway-key',
      filter_secret_ref: 'filter-secret',
    },
    tuning: {
      'proxy-server': common,
      'account-server': server,
      'container-server': server,
      'object-server': server,
    },
  };
}
