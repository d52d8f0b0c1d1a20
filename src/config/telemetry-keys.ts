import { integer, optionalPath, text, type KeyRule } from './keys.js';

/** The keys that say what the service tells of itself, and where. */
export const TELEMETRY_KEYS = {
  admin_token_file: {
    schema: optionalPath(),
    doc: 'File with a token, mode 0600, that the admin port asks for as `Authorization: Bearer …`, but for `/livez` and `/readyz`. Needed when `admin_listen` is not a loopback address. Relative to the configuration file.',
  },
  s3_health_path: {
    // No name of a bucket begins with `_`.
    schema: text(
      /^(?:\/_[A-Za-z0-9_-]{1,62})?$/,
      'a path that no bucket can have, `/_` with letters, digits, hyphens and underscores, such as /_health, or an empty text',
    ).default(''),
    doc: 'Path on `s3_listen` where load balancers that cannot reach the admin port ask each listener whether it is ready. Empty: there is none. See [Health on the S3 port](operations.md#health-on-the-s3-port).',
  },
  access_log: {
    schema: optionalPath(),
    doc: 'File with a JSON line for each request of the S3 API: see [Access log](operations.md#access-log). Relative to the configuration file. Empty: there is none.',
  },
  stage_sample_every: {
    schema: integer(0, 1_000_000).default(8),
    doc: 'One request of so many has its [stages](metrics.md#stages) measured, by each listener. 0: none has.',
  },
  bucket_metrics_max: {
    schema: integer(0, 1000).default(0),
    doc: 'Buckets that each listener tells apart in `ringway_bucket_…`: those that were used last. 0: there are none of these metrics. See [Metrics](metrics.md#buckets).',
  },
} as const satisfies Readonly<Record<string, KeyRule>>;
