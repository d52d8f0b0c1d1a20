import { ini } from './ini.mjs';
import { layout, PROXY_IP } from './layout.mjs';
import { commonConf, memcache, workersOf } from './storage-conf.mjs';
import { SERVICE_USER, USERS } from './users.mjs';

/**
 * @typedef {{
 *   name: 'proxy-1' | 'proxy-2' | 'proxy-s3api' | 'proxy-s3api-acl',
 *   filter?: boolean,
 *   s3api?: Record<string, string | number | boolean>,
 * }} Proxy
 */

/** @type {readonly Proxy[]} */
export const PROXIES = [
  // Two that are alike: what Ringway speaks to.
  { name: 'proxy-1', filter: true },
  { name: 'proxy-2', filter: true },
  // Swift's own S3, the reference, in both of its ways to keep ACLs.
  { name: 'proxy-s3api', s3api: { s3_acl: false } },
  { name: 'proxy-s3api-acl', s3api: { s3_acl: true } },
];

/** Swift's filters that need no more than their name. */
const PLAIN_FILTERS = {
  healthcheck: 'healthcheck',
  catch_errors: 'catch_errors',
  gatekeeper: 'gatekeeper',
  'proxy-logging': 'proxy_logging',
  listing_formats: 'listing_formats',
  container_sync: 'container_sync',
  bulk: 'bulk',
  tempurl: 'tempurl',
  copy: 'copy',
  'container-quotas': 'container_quotas',
  'account-quotas': 'account_quotas',
  dlo: 'dlo',
  symlink: 'symlink',
};

/**
 * @param {import('./state.mjs').LabState} lab
 * @returns {Record<string, string>} texts by path
 */
export function proxyConf(lab) {
  const { proxyConf: path } = layout(lab.dir);
  return Object.fromEntries(PROXIES.map((proxy) => [path(proxy.name), ini(sections(lab, proxy))]));
}

/**
 * @param {import('./state.mjs').LabState} lab
 * @param {Proxy} proxy
 * @returns {Record<string, Record<string, string | number | boolean>>} options by section
 */
function sections(lab, { name, filter = false, s3api }) {
  const hasFilter = filter && lab.filter;
  return {
    DEFAULT: {
      ...commonConf(lab),
      bind_ip: PROXY_IP,
      bind_port: lab.ports[name],
      workers: workersOf(lab.proxyWorkers),
      log_name: name,
    },
    'pipeline:main': { pipeline: pipeline(lab, hasFilter, s3api !== undefined).join(' ') },
    'app:proxy-server': {
      use: 'egg:swift#proxy',
      account_autocreate: true,
      allow_account_management: true,
      // Seconds for which a server is left out after a full device or many errors: Swift's minute
      // would outlast the test that made them.
      error_suppression_interval: 1,
      // For so many seconds a proxy does not notice that a container is sharded by now: Swift's minute
      // would outlast the test, too.
      ...(lab.shardRows === undefined ? {} : { recheck_container_existence: 1 }),
      ...lab.proxyOptions,
    },
    'filter:tempauth': tempauth(),
    'filter:cache': {
      ...memcache(lab),
      // The same for memcached: for a minute after a restart every token would be unknown.
      error_suppression_interval: 1,
    },
    'filter:slo': { use: 'egg:swift#slo', max_manifest_segments: 10_000 },
    'filter:versioned_writes': {
      use: 'egg:swift#versioned_writes',
      allow_versioned_writes: true,
      allow_object_versioning: true,
    },
    ...Object.fromEntries(
      Object.entries(PLAIN_FILTERS).map(([section, entry]) => [
        `filter:${section}`,
        { use: `egg:swift#${entry}` },
      ]),
    ),
    ...(s3api === undefined ? {} : { 'filter:s3api': { ...S3API, ...s3api } }),
    ...(hasFilter ? ringwayFilters(lab) : {}),
    ...(lab.encryption ? ENCRYPTION : {}),
    ...(lab.shardRows === undefined ? {} : SHARDING),
  };
}

const S3API = {
  use: 'egg:swift#s3api',
  location: 'us-east-1',
  dns_compliant_bucket_names: true,
  check_bucket_owner: true,
  allow_multipart_uploads: true,
};

/** A secret of a lab is none: it is the same for all proxies, and after a restart. */
const ENCRYPTION = {
  'filter:keymaster': {
    use: 'egg:swift#keymaster',
    encryption_root_secret: Buffer.alloc(32, 'swift-lab').toString('base64'),
  },
  'filter:encryption': { use: 'egg:swift#encryption' },
};

const SHARDING = { 'filter:sharding': { 'paste.filter_factory': 'sharding:filter_factory' } };

/**
 * The order of Swift's own proxy-server.conf-sample.
 *
 * @param {Pick<import('./state.mjs').LabState, 'encryption' | 'shardRows'>} lab
 * @param {boolean} hasFilter
 * @param {boolean} hasS3api
 */
function pipeline({ encryption, shardRows }, hasFilter, hasS3api) {
  return [
    ...['catch_errors', 'gatekeeper'],
    // Directly right of gatekeeper, which strips system metadata from what clients send.
    ...(hasFilter ? ['ringway'] : []),
    ...['healthcheck', 'proxy-logging', 'cache', 'listing_formats', 'container_sync', 'bulk'],
    'tempurl',
    ...(hasS3api ? ['s3api'] : []),
    ...['tempauth', 'copy', 'container-quotas', 'account-quotas', 'slo', 'dlo'],
    ...['versioned_writes', 'symlink'],
    // Right of everything that makes requests of its own: it shall see those as well.
    ...(hasFilter ? ['ringway_guard'] : []),
    ...(encryption ? ['keymaster', 'encryption'] : []),
    ...(shardRows === undefined ? [] : ['sharding']),
    ...['proxy-logging', 'proxy-server'],
  ];
}

/** `user_<account>_<user> = <key> [group...]` */
function tempauth() {
  const users = [...USERS, SERVICE_USER].map(({ account, user, key, groups }) => [
    `user_${account}_${user}`,
    [key, ...groups].join(' '),
  ]);
  return { use: 'egg:swift#tempauth', ...Object.fromEntries(users) };
}

/** @param {import('./state.mjs').LabState} lab */
function ringwayFilters(lab) {
  const { secretFile, stageFile } = layout(lab.dir);
  return {
    'filter:ringway': {
      'paste.filter_factory': 'ringway_filter:filter_factory',
      secret_file: secretFile,
      first_versions: true,
      // One for both proxies: they are of one host.
      ...(lab.statsd ? { stage_file: stageFile } : {}),
    },
    'filter:ringway_guard': {
      'paste.filter_factory': 'ringway_filter:guard_factory',
      // All proxies of the lab run here, so a memcached on loopback is shared by them all.
      single_proxy_host: true,
    },
  };
}
