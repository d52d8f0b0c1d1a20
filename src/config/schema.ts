import os from 'node:os';
import type { z } from 'zod';
import {
  ADMISSION_KEYS,
  CREDENTIALS_KEYS,
  SWIFT_KEYS,
  TELEMETRY_KEYS,
  TLS_KEYS,
} from './key-groups.js';
import {
  address,
  coldStorageClasses,
  domains,
  flag,
  hosts,
  integer,
  isPath,
  networks,
  oneOf,
  optionalAddress,
  optionalPath,
  path,
  storageClasses,
  text,
  type KeyRule,
} from './keys.js';

/**
 * Every configuration key: its rule, its default, and what the documentation says of it.
 * docs/configuration.md is held against this table by a test.
 */
const KEYS = {
  data_dir: {
    schema: path().default('./data'),
    doc: 'Directory of the embedded store, the credentials and the lock file. Relative to the configuration file, or to the working directory when given by flag or default.',
  },
  s3_listen: { schema: address().prefault('127.0.0.1:8000'), doc: 'Address of the S3 API.' },
  admin_listen: {
    schema: address().prefault('127.0.0.1:9464'),
    doc: 'Address of `/metrics`, `/livez`, `/readyz` and `/statusz`. On another than a loopback address it needs `admin_token_file`.',
  },
  admin_allowed_hosts: {
    schema: hosts().default([]),
    doc: 'Names in `Host` that the admin port answers, besides that of `admin_listen`, `localhost` and every IP address. Without a port: with any. Others get 421, but for `/livez` and `/readyz`.',
  },
  console_listen: {
    schema: optionalAddress().prefault('127.0.0.1:9000'),
    doc: 'Address of the [console](console.md). When something else listens there, S3 is served without it, and it is tried again. Empty: there is none.',
  },
  console_config: {
    schema: optionalPath(),
    doc: 'File with keys of the [console](console-configuration.md) that are to differ from what follows from this configuration. Relative to the configuration file.',
  },
  deploy_config: {
    schema: optionalPath(),
    doc: 'File with the configuration of the [control service of Deploy](deploy.md#configuration), which the service then runs as one more process, and tells its console of. Relative to the configuration file. Empty: there is none.',
  },
  store_listen: {
    schema: optionalAddress().prefault('127.0.0.1:8070'),
    doc: "Address of the embedded store's own Swift API: see [The store's Swift API](store-api.md). Empty: there is none, as there is with another `backend`.",
  },
  store_filter_secret_file: {
    schema: optionalPath(),
    doc: "File with the secret of gateways that use the store's Swift API as their store, mode 0600: only they see and write system metadata through it. Relative to the configuration file.",
  },
  listeners: {
    schema: integer(1, 256).default(() => os.availableParallelism()),
    doc: 'Listener processes; all accept on `s3_listen`.',
    defaultText: 'one for each CPU available',
  },
  region: {
    schema: text(
      /^[a-z0-9-]{1,63}$/,
      'a region name: lower-case letters, digits and hyphens',
    ).default('us-east-1'),
    doc: 'Region that signatures must name.',
  },
  location: {
    schema: text(/^[A-Za-z0-9-]{1,63}$/, 'a location name: letters, digits and hyphens').optional(),
    doc: 'Answer to `GET /<bucket>?location`.',
    defaultText: 'the value of `region`',
  },
  base_domains: {
    schema: domains().default([]),
    doc: 'Virtual-host style: in a `Host` that ends with one of these names, what stands in front is the bucket. Path style works everywhere.',
  },
  external_hosts: {
    schema: hosts().default([]),
    doc: 'Hosts that clients address where a proxy in front replaces `Host`: signatures may cover them instead. See [Behind a proxy](behind-a-proxy.md).',
  },
  trusted_proxies: {
    schema: networks().default([]),
    doc: 'Proxies whose `X-Forwarded-Host`, `X-Forwarded-For` and `X-Forwarded-Proto` count; from any other client they are ignored.',
  },
  anonymous_account: {
    schema: text(
      /^(?:[\x21-\x2e\x30-\x7e]{1,128})?$/,
      'an account of the store, such as AUTH_main, or an empty text',
    ).default(''),
    doc: 'Account whose public buckets and objects unsigned GET and HEAD requests read, as its ACLs allow. Empty: every unsigned request is refused.',
  },
  storage_classes: {
    schema: storageClasses().default(['STANDARD']),
    doc: 'Values of `x-amz-storage-class` that are accepted, besides those of `cold_storage_classes`; any other is `InvalidStorageClass`.',
  },
  cold_storage_classes: {
    schema: coldStorageClasses().default([]),
    doc: 'Storage classes of the [cold tier](cold-tier.md), warmer ones first, each with the index of the policy that places its cold copies. Needs a `cold_backend`.',
  },
  cold_backend: {
    schema: oneOf(['none', 'directory']).default('none'),
    doc: 'Where the cold tier keeps its copies: nowhere, or in `cold_dir`.',
  },
  cold_dir: {
    schema: path().optional(),
    doc: 'Directory of the cold copies. One that is named here must exist: name a folder within the mount, not the mount itself. All hosts must see the same. Relative to the configuration file.',
    defaultText: '`cold` in `data_dir`, made when it is missing',
  },
  delete_hot: {
    schema: flag().default(false),
    doc: 'Whether objects leave the store when the cold tier has their bytes; a restore then brings them back.',
  },
  cold_sweep_age_ms: {
    schema: integer(0, 31_536_000_000).default(86_400_000),
    doc: 'Cold copies of objects that are gone are deleted by the janitor when they are older.',
  },
  credentials_file: {
    schema: path().optional(),
    doc: 'File with the access keys, mode 0600; it is read again when it changes. Relative to the configuration file.',
    defaultText: '`credentials.json` in `data_dir`',
  },
  log_level: {
    schema: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    doc: 'Least severe log lines that are written.',
  },
  drain_delay_ms: {
    schema: integer(0, 600_000).default(0),
    doc: 'On shutdown: how long `/readyz` says `draining` while requests are still accepted. Twice the check interval of the load balancer in front.',
  },
  drain_timeout_ms: {
    schema: integer(0, 86_400_000).default(30_000),
    doc: 'On shutdown, and of the former processes on a reload: how long requests in flight may take before they are cut.',
  },
  listener_start_timeout_ms: {
    schema: integer(100, 600_000).default(30_000),
    doc: 'A listener that is not ready after this time is killed and started again.',
  },
  restart_backoff_ms_min: {
    schema: integer(1, 600_000).default(100),
    doc: 'Wait before the first restart of a crashed listener; it doubles with each further one.',
  },
  restart_backoff_ms_max: {
    schema: integer(1, 600_000).default(10_000),
    doc: 'Longest wait before a restart.',
  },
  restart_limit: {
    schema: integer(0, 1000).default(10),
    doc: 'Restarts of one listener within `restart_window_ms`; one crash more ends the service with exit code 70.',
  },
  restart_window_ms: {
    schema: integer(1000, 86_400_000).default(60_000),
    doc: 'Restarts older than this are forgiven: they count neither for the limit nor for the wait.',
  },
  probe_interval_ms: {
    schema: integer(100, 600_000).default(5_000),
    doc: 'How often each listener checks its backend and reports health and metrics.',
  },
  digest_inline_bytes_max: {
    schema: integer(0, 16_777_216).default(131_072),
    doc: 'Bodies up to this size are hashed on the event loop, larger ones on a digest lane, unless all that is taken of them is a SHA-256.',
  },
  digest_lanes: { schema: integer(1, 64).default(1), doc: 'Hashing threads of each listener.' },
  xml_inline_bytes_max: {
    schema: integer(0, 4_194_304).default(8_192),
    doc: 'XML bodies of requests up to this size are parsed on the event loop, larger ones on a thread.',
  },
  inline_body_bytes_max: {
    schema: integer(0, 1_048_576).default(32_768),
    doc: 'Embedded store: bodies up to this size lie in the database, larger ones in files.',
  },
  segment_grace_ms: {
    schema: integer(0, 86_400_000).default(30_000),
    doc: 'How long the parts of an object made by a multipart upload outlive its overwriting or deletion: a download under way reads on from them. With `backend` `swift`, what a body of up to 64 KiB overwrites is left to the janitor, where that runs: see `segment_sweep_age_ms`.',
  },
  segment_sweep_age_ms: {
    schema: integer(0, 31_536_000_000).default(86_400_000),
    doc: 'Parts of multipart uploads that belong to no open upload and no object are deleted by the janitor when they are older.',
  },
  version_sweep_age_ms: {
    schema: integer(3_600_000, 31_536_000_000).default(86_400_000),
    doc: 'What writes of versions leave behind, such as an object that no version index names since its writer crashed, is deleted by the janitor when it is older. It must be longer than any write takes, from its first byte to its answer.',
  },
  version_lost_index_age_ms: {
    schema: integer(3_600_000, 31_536_000_000).default(2_592_000_000),
    doc: 'Versions of a key that has no version index at all are deleted by the janitor only when they are older: until then, `ringway repair` can bring the key back if the index was lost.',
  },
  version_index_bytes_max: {
    schema: integer(65_536, 67_108_864).default(8_388_608),
    doc: 'Size of the version index of one key, about 150 bytes a version. A write that would make it larger is refused, and so is reading a larger one.',
  },
  janitor_interval_ms: {
    schema: integer(0, 31_536_000_000).default(3_600_000),
    doc: 'From the beginning of one pass of the [janitor](operations.md#janitor) to that of the next. 0: it does not run by itself.',
  },
  janitor_operations_per_s: {
    schema: integer(1, 100_000).default(500),
    doc: 'Calls to the backend that the janitor makes at most in a second, one for a page of 1000 objects or for a delete.',
  },
  janitor_lease_ms: {
    schema: integer(1000, 600_000).default(30_000),
    doc: 'How long a janitor that died keeps others from its work.',
  },
  worm_clock_max_offset_ms: {
    schema: integer(0, 86_400_000).default(0),
    doc: "How far this node's clock may be off before COMPLIANCE retention is decided by it no longer: such requests are denied then, also when nothing tells. 0: it is not checked, and where a bucket has Object Lock the janitor warns of that. See [The clock](operations.md#the-clock).",
  },
  response_stall_timeout_ms: {
    schema: integer(100, 3_600_000).default(60_000),
    doc: 'A response whose client takes nothing for this long is cut.',
  },
  request_drain_bytes_max: {
    schema: integer(0, 1_073_741_824).default(16_777_216),
    doc: 'After an early error: how much of a body is read and dropped to keep the connection; beyond it the connection is closed.',
  },
  ...TLS_KEYS,
  ...ADMISSION_KEYS,
  ...TELEMETRY_KEYS,
  ...CREDENTIALS_KEYS,
  ...SWIFT_KEYS,
} as const satisfies Readonly<Record<string, KeyRule>>;

export type ConfigKey = keyof typeof KEYS;

/** The parsed values; undefined where the default depends on other keys and load.ts fills it in. */
export type ParsedConfig = { readonly [K in ConfigKey]: z.output<(typeof KEYS)[K]['schema']> };

/** Every key with a value. */
export type Config = { readonly [K in ConfigKey]: NonNullable<ParsedConfig[K]> };

export const CONFIG_KEYS = Object.keys(KEYS) as readonly ConfigKey[];

export type KeyResult =
  | { readonly ok: true; readonly value: unknown }
  /** `expected`: worded to follow "expected". */
  | { readonly ok: false; readonly expected: string };

/**
 * One key by itself, so that a wrong one hides no other. `undefined` gives the default.
 * The value's type is `ParsedConfig[key]`.
 */
export function parseKey(key: ConfigKey, value: unknown): KeyResult {
  const result = KEYS[key].schema.safeParse(value);
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, expected: result.error.issues[0]?.message ?? 'another value' };
}

/** Whether the value of a key is a path. */
export function isPathKey(key: ConfigKey): boolean {
  return isPath(KEYS[key].schema);
}

/** The rule of a key, as the documentation states it. */
export function keyRule(key: ConfigKey): KeyRule {
  return KEYS[key];
}
