import { userInfo } from 'node:os';
import process from 'node:process';
import { ini } from './ini.mjs';
import { layout, nodesOf, POLICIES, PROXY_IP, STORAGE_TYPES } from './layout.mjs';

/**
 * @typedef {import('./state.mjs').LabState} LabState
 * @typedef {import('./layout.mjs').StorageNode} StorageNode
 * @typedef {Record<string, Record<string, string | number | boolean>>} Sections options by section
 */

/**
 * Configuration of everything but the proxies: swift.conf, storage servers with their daemons,
 * rsync, expirer.
 *
 * @param {import('./state.mjs').LabState} lab
 * @returns {Record<string, string>} texts by path
 */
export function storageConf(lab) {
  const paths = layout(lab.dir);
  const files = {
    [`${paths.conf}/swift.conf`]: ini(swiftConf(lab)),
    [paths.expirerConf]: ini(expirerConf(lab, paths)),
  };
  for (const node of nodesOf(lab)) {
    files[paths.rsyncConf(node)] = ini(rsyncConf(lab, paths, node));
    for (const type of STORAGE_TYPES) {
      files[paths.storageConf(type, node)] = ini(serverConf(lab, paths, type, node));
    }
  }
  return files;
}

/** @param {Pick<LabState, 'defaultPolicy'>} lab */
function swiftConf({ defaultPolicy }) {
  /** @type {Sections} */
  const sections = {
    'swift-hash': { swift_hash_path_prefix: 'lab', swift_hash_path_suffix: 'lab' },
    'swift-constraints': {},
  };
  POLICIES.forEach(({ name, erasureCode }, index) => {
    sections[`storage-policy:${index}`] = {
      name,
      ...(name === defaultPolicy ? { default: 'yes' } : {}),
      ...(erasureCode === undefined
        ? {}
        : {
            policy_type: 'erasure_coding',
            ec_type: 'liberasurecode_rs_vand',
            ec_num_data_fragments: erasureCode.data,
            ec_num_parity_fragments: erasureCode.parity,
            ec_object_segment_size: 1_048_576,
          }),
    };
  });
  return sections;
}

/**
 * The options that every program of Swift's has in its `[DEFAULT]`.
 *
 * @param {LabState} lab
 */
export function commonConf(lab) {
  return {
    swift_dir: layout(lab.dir).conf,
    // Programs that run as root would become `swift`; the folder belongs to the user who starts the
    // lab.
    user: userInfo().username,
    log_level: 'INFO',
    // Every line goes to the program's own log as well, by its flag -v.
    log_udp_host: PROXY_IP,
    log_udp_port: lab.ports['no-syslog'],
    ...(lab.statsd ? { log_statsd_host: PROXY_IP, log_statsd_port: lab.ports.statsd } : {}),
  };
}

/**
 * Swift's option `workers`. One is written as 0, a process that serves by itself: half the memory,
 * and one pid to stop and to pause.
 *
 * @param {number} processes
 */
export function workersOf(processes) {
  return processes === 1 ? 0 : processes;
}

/**
 * The default rate of the object auditor, 20 files a second, takes minutes for a test's objects.
 */
const AUDIT_RATES = {
  account: { accounts_per_second: 5000 },
  container: { containers_per_second: 5000 },
  object: {
    files_per_second: 5000,
    zero_byte_files_per_second: 5000,
    bytes_per_second: 1_000_000_000,
  },
};

/**
 * @param {LabState} lab
 * @param {ReturnType<typeof layout>} paths
 * @param {import('./layout.mjs').StorageType} type
 * @param {StorageNode} node
 * @returns {Sections}
 */
function serverConf(lab, paths, type, node) {
  const recon = { recon_cache_path: paths.cacheOf(node) };
  return {
    DEFAULT: {
      ...commonConf(lab),
      ...recon,
      bind_ip: node.ip,
      bind_port: lab.ports[type],
      devices: paths.devicesOf(node),
      mount_check: false,
      workers: workersOf(lab.storageWorkers),
    },
    'pipeline:main': { pipeline: `healthcheck recon ${type}-server` },
    [`app:${type}-server`]: { use: `egg:swift#${type}` },
    'filter:healthcheck': { use: 'egg:swift#healthcheck' },
    'filter:recon': { use: 'egg:swift#recon', ...recon, recon_lock_path: paths.run },
    [`${type}-replicator`]: {
      rsync_module: `rsync://{replication_ip}:${lab.ports.rsync}/${type}`,
      concurrency: 2,
    },
    [`${type}-auditor`]: AUDIT_RATES[type],
    // With sharders updaters run as well, and no test waits for their five minutes.
    // A pass starts a process for each device.
    [`${type}-updater`]: {
      concurrency: 2,
      ...(lab.shardRows === undefined ? {} : { interval: 5 }),
    },
    ...(type === 'object' ? { 'object-reconstructor': {} } : {}),
    ...(type === 'account' ? { 'account-reaper': {} } : {}),
    ...(type === 'container' ? { 'container-sharder': sharder(lab, paths) } : {}),
  };
}

/**
 * Without `shardRows`, only containers that an operator has marked are sharded.
 *
 * @param {LabState} lab
 * @param {ReturnType<typeof layout>} paths
 */
function sharder({ shardRows }, { expirerConf: internalClient }) {
  return {
    internal_client_conf_path: internalClient,
    // Seconds between passes: a test does not wait for Swift's thirty.
    interval: 1,
    ...(shardRows === undefined
      ? {}
      : {
          auto_shard: true,
          shard_container_threshold: shardRows,
          rows_per_shard: Math.floor(shardRows / 2),
          // All shards that were found are filled in one pass.
          cleave_batch_size: 100,
        }),
  };
}

/**
 * @param {LabState} lab
 * @param {ReturnType<typeof layout>} paths
 * @param {StorageNode} node
 */
function rsyncConf(lab, paths, node) {
  const identity = process.getuid?.() === 0 ? { uid: 'root', gid: 'root' } : {};
  /** @type {Sections} */
  const sections = {
    '': { ...identity, 'use chroot': 'no', address: node.ip, port: lab.ports.rsync },
  };
  for (const type of STORAGE_TYPES) {
    sections[type] = {
      path: paths.devicesOf(node),
      'read only': 'false',
      'max connections': 8,
      'lock file': `${paths.run}/rsync-${type}.${node.name}.lock`,
    };
  }
  return sections;
}

/**
 * @param {LabState} lab
 * @param {ReturnType<typeof layout>} paths
 * @returns {Sections}
 */
function expirerConf(lab, paths) {
  return {
    DEFAULT: commonConf(lab),
    'object-expirer': { recon_cache_path: paths.cacheOf(firstNode(lab)) },
    'pipeline:main': { pipeline: 'catch_errors proxy-logging cache proxy-server' },
    'app:proxy-server': { use: 'egg:swift#proxy', account_autocreate: true },
    'filter:catch_errors': { use: 'egg:swift#catch_errors' },
    'filter:proxy-logging': { use: 'egg:swift#proxy_logging' },
    'filter:cache': memcache(lab),
  };
}

/**
 * @param {Pick<LabState, 'dir' | 'ports' | 'tls'>} lab
 * @returns {Record<string, string | number | boolean>} of a proxy's cache filter
 */
export function memcache({ dir, ports, tls }) {
  return {
    use: 'egg:swift#memcache',
    memcache_servers: `${PROXY_IP}:${ports.memcached}`,
    ...(tls ? { tls_enabled: true, tls_cafile: layout(dir).certFile } : {}),
  };
}

/**
 * One for the cluster runs beside the first node.
 *
 * @param {LabState} lab
 */
function firstNode(lab) {
  const [node] = nodesOf(lab);
  if (node === undefined) throw new Error('a lab has nodes');
  return node;
}
