/**
 * The places of files in the folder of a lab, and the parts of the cluster. Nothing of a lab is
 * anywhere else: not in /etc/swift, not in /var.
 */

/** @typedef {{ name: string, ip: string, zone: number, devices: readonly string[] }} StorageNode */

/**
 * The nodes that a lab may have; the last only with `--nodes 3`.
 *
 * @type {readonly StorageNode[]}
 */
const NODES = [
  { name: 'node1', ip: '127.0.0.1', zone: 1, devices: ['d1', 'd2'] },
  { name: 'node2', ip: '127.0.0.2', zone: 2, devices: ['d3', 'd4'] },
  { name: 'node3', ip: '127.0.0.3', zone: 3, devices: ['d5', 'd6'] },
];

export const NODES_MIN = 2;
export const NODES_MAX = NODES.length;

/** Addresses that a lab may use. */
export const NODE_IPS = NODES.map(({ ip }) => ip);

/** @typedef {{ nodeCount: number }} Sized */

/** @param {Sized} lab */
export function nodesOf({ nodeCount }) {
  return NODES.slice(0, nodeCount);
}

/** @typedef {'account' | 'container' | 'object'} StorageType */

/**
 * Storage servers of every node, in the order in which they come up best.
 *
 * @type {readonly StorageType[]}
 */
export const STORAGE_TYPES = ['account', 'container', 'object'];

/** The address of the proxies, memcached and their clients. */
export const PROXY_IP = '127.0.0.1';

export const PART_POWER = 8;

/**
 * Storage policies, their index being the position. `replicas` is what the ring has: an erasure
 * code's fragments, data and parity.
 */
export const POLICIES = [
  { name: 'gold', replicas: 3 },
  { name: 'silver', replicas: 2 },
  { name: 'ec21', replicas: 3, erasureCode: { data: 2, parity: 1 } },
];

/** Entries of a lab's folder; `down --wipe` removes these and nothing else. */
export const FOLDERS = ['conf', 'img', 'srv', 'cache', 'log', 'run', 'gateway'];

/** @param {string} dir absolute path of the lab's folder */
export function layout(dir) {
  return {
    dir,
    stateFile: `${dir}/lab.json`,
    lockFile: `${dir}/lock`,
    conf: `${dir}/conf`,
    log: `${dir}/log`,
    run: `${dir}/run`,
    gateway: `${dir}/gateway`,
    images: `${dir}/img`,
    pidFile: (/** @type {string} */ service) => `${dir}/run/${service}.pid`,
    /** Nodes with their devices. */
    nodes: `${dir}/srv`,
    stageFile: `${dir}/run/stages`,
    /** The folder that Swift calls `devices`: the parent of a node's devices. */
    devicesOf: (/** @type {StorageNode} */ node) => `${dir}/srv/${node.name}`,
    cacheOf: (/** @type {StorageNode} */ node) => `${dir}/cache/${node.name}`,
    storageConf: (/** @type {StorageType} */ type, /** @type {StorageNode} */ node) =>
      `${dir}/conf/${type}-server.${node.name}.conf`,
    rsyncConf: (/** @type {StorageNode} */ node) => `${dir}/conf/rsyncd.${node.name}.conf`,
    proxyConf: (/** @type {string} */ name) => `${dir}/conf/${name}.conf`,
    haproxyConf: `${dir}/conf/haproxy.cfg`,
    /** Certificate of the lab's servers with `--tls`, and the same with its key. */
    certFile: `${dir}/conf/tls-cert.pem`,
    certKeyFile: `${dir}/conf/tls-cert-key.pem`,
    expirerConf: `${dir}/conf/object-expirer.conf`,
    gatewayConfig: `${dir}/gateway/ringway.json`,
    benchConfig: `${dir}/gateway/one-proxy.json`,
    benchDirectConfig: `${dir}/gateway/one-direct.json`,
    directConfig: `${dir}/gateway/direct.json`,
    labConfig: `${dir}/gateway/lab.json`,
    labConsoleConfig: `${dir}/gateway/lab-console.json`,
    shadow: `${dir}/gateway/shadow`,
    keyFile: `${dir}/gateway/swift.key`,
    secretFile: `${dir}/gateway/filter.secret`,
  };
}

/**
 * Every device with its node and the folder where its file system is, or is mounted.
 *
 * @param {{ dir: string } & Sized} lab
 */
export function allDevices(lab) {
  const { devicesOf, images } = layout(lab.dir);
  return nodesOf(lab).flatMap((node) =>
    node.devices.map((name) => ({
      name,
      node,
      folder: `${devicesOf(node)}/${name}`,
      image: `${images}/${name}.xfs`,
    })),
  );
}
