import os from 'node:os';
import { z } from 'zod';
import { address, integer, oneOf, path, storageClasses, text, type KeyDoc } from './keys.js';

/**
 * Every configuration key: its rule, its default, and what the documentation says of it.
 * docs/configuration.md is held against this table by a test.
 */
const SHAPE = {
  data_dir: path()
    .default('./data')
    .meta({
      doc: 'Directory of the embedded store, the credentials and the lock file. Relative to the configuration file, or to the working directory when given by flag or default.',
    } satisfies KeyDoc),
  s3_listen: address()
    .prefault('127.0.0.1:8000')
    .meta({ doc: 'Address of the S3 API.' } satisfies KeyDoc),
  admin_listen: address()
    .prefault('127.0.0.1:9464')
    .meta({
      doc: 'Address of `/metrics`, `/livez`, `/readyz` and `/statusz`. They ask for no password: keep it on loopback or a trusted network.',
    } satisfies KeyDoc),
  console_listen: address()
    .prefault('127.0.0.1:9000')
    .meta({
      doc: 'Address of the console. Checked, but not opened: the console is not part of this release.',
    } satisfies KeyDoc),
  listeners: integer(1, 256)
    .default(() => os.availableParallelism())
    .meta({
      doc: 'Listener processes; all accept on `s3_listen`.',
      defaultText: 'one for each CPU available',
    } satisfies KeyDoc),
  region: text(/^[a-z0-9-]{1,63}$/, 'a region name: lower-case letters, digits and hyphens')
    .default('us-east-1')
    .meta({ doc: 'Region that signatures must name.' } satisfies KeyDoc),
  location: text(/^[A-Za-z0-9-]{1,63}$/, 'a location name: letters, digits and hyphens')
    .optional()
    .meta({
      doc: 'Answer to `GET /<bucket>?location`.',
      defaultText: 'the value of `region`',
    } satisfies KeyDoc),
  storage_classes: storageClasses()
    .default(['STANDARD'])
    .meta({
      doc: 'Values of `x-amz-storage-class` that are accepted; any other is `InvalidStorageClass`.',
    } satisfies KeyDoc),
  credentials_file: path()
    .optional()
    .meta({
      doc: 'File with the access keys, mode 0600. Relative as `data_dir` is.',
      defaultText: '`credentials.json` in `data_dir`',
    } satisfies KeyDoc),
  log_level: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta({ doc: 'Least severe log lines that are written.' } satisfies KeyDoc),
  drain_delay_ms: integer(0, 600_000)
    .default(0)
    .meta({
      doc: 'On shutdown: how long `/readyz` says `draining` while requests are still accepted. Twice the check interval of the load balancer in front.',
    } satisfies KeyDoc),
  drain_timeout_ms: integer(0, 86_400_000)
    .default(30_000)
    .meta({
      doc: 'On shutdown: how long requests in flight may take before they are cut.',
    } satisfies KeyDoc),
  listener_start_timeout_ms: integer(100, 600_000)
    .default(30_000)
    .meta({
      doc: 'A listener that is not ready after this time is killed and started again.',
    } satisfies KeyDoc),
  restart_backoff_ms_min: integer(1, 600_000)
    .default(100)
    .meta({
      doc: 'Wait before the first restart of a crashed listener; it doubles with each further one.',
    } satisfies KeyDoc),
  restart_backoff_ms_max: integer(1, 600_000)
    .default(10_000)
    .meta({ doc: 'Longest wait before a restart.' } satisfies KeyDoc),
  restart_limit: integer(0, 1000)
    .default(10)
    .meta({
      doc: 'Restarts of one listener within `restart_window_ms`; one crash more ends the service with exit code 70.',
    } satisfies KeyDoc),
  restart_window_ms: integer(1000, 86_400_000)
    .default(60_000)
    .meta({
      doc: 'Restarts older than this are forgiven: they count neither for the limit nor for the wait.',
    } satisfies KeyDoc),
  probe_interval_ms: integer(100, 600_000)
    .default(5_000)
    .meta({
      doc: 'How often each listener checks its backend and reports health and metrics.',
    } satisfies KeyDoc),
  digest_inline_bytes_max: integer(0, 16_777_216)
    .default(131_072)
    .meta({
      doc: 'Bodies up to this size are hashed on the event loop, larger ones on a digest lane.',
    } satisfies KeyDoc),
  digest_lanes: integer(1, 64)
    .default(1)
    .meta({ doc: 'Hashing threads of each listener.' } satisfies KeyDoc),
  inline_body_bytes_max: integer(0, 1_048_576)
    .default(32_768)
    .meta({
      doc: 'Embedded store: bodies up to this size lie in the database, larger ones in files.',
    } satisfies KeyDoc),
  response_stall_timeout_ms: integer(100, 3_600_000)
    .default(60_000)
    .meta({
      doc: 'A response whose client takes nothing for this long is cut.',
    } satisfies KeyDoc),
  request_drain_bytes_max: integer(0, 1_073_741_824)
    .default(1_048_576)
    .meta({
      doc: 'After an early error: how much of a body is read and dropped to keep the connection; beyond it the connection is closed.',
    } satisfies KeyDoc),
} as const;

export const CONFIG_SCHEMA = z.strictObject(SHAPE);

export type ConfigKey = keyof typeof SHAPE;

/** What a file may say: JSON. */
export type ConfigInput = z.input<typeof CONFIG_SCHEMA>;

type Parsed = z.output<typeof CONFIG_SCHEMA>;

/** Every key with a value; those that depend on others are filled in by load.ts. */
export type Config = { readonly [K in keyof Parsed]-?: NonNullable<Parsed[K]> };

export const CONFIG_KEYS = Object.keys(SHAPE) as readonly ConfigKey[];
