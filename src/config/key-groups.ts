import {
  integer,
  type KeyRule,
  accounts,
  oneOf,
  optionalPath,
  optionalUrl,
  roleNames,
  text,
  baseUrls,
  flag,
} from './keys.js';

/** The keys that say how much one listener takes on at once: see docs/operations.md, Overload. */
export const ADMISSION_KEYS = {
  admission_in_flight_max: {
    schema: integer(1, 1_000_000).default(1024),
    doc: 'Requests that one listener works on at a time, by [weight](operations.md#overload); what is beyond waits.',
  },
  admission_queue_max: {
    schema: integer(0, 1_000_000).default(4096),
    doc: 'Requests that wait at most; one more is answered 503 `SlowDown` at once.',
  },
  admission_wait_ms_max: {
    schema: integer(1, 600_000).default(1000),
    doc: 'How long a request waits before it is answered 503 `SlowDown`.',
  },
  body_memory_bytes_max: {
    schema: integer(1_048_576, 1_099_511_627_776).default(536_870_912),
    doc: 'Memory of one listener for bodies under way, of which one above 64 KiB takes up to 1 MiB, in either direction; what is beyond waits.',
  },
  rate_limit_requests_per_s: {
    schema: integer(0, 1_000_000).default(0),
    doc: 'Requests with one access key that one listener serves in a second on average; those beyond are answered 503 `SlowDown`. 0: there is no limit.',
  },
  rate_limit_burst: {
    schema: integer(1, 1_000_000).default(100),
    doc: 'Requests with one access key that may come at once.',
  },
} as const satisfies Readonly<Record<string, KeyRule>>;

/** The keys that say who may sign requests. */
export const CREDENTIALS_KEYS = {
  credentials_source: {
    schema: oneOf(['file', 'tempauth', 'identity']).default('file'),
    doc: 'The users that may sign requests: the access keys of `credentials_file`, the users of `tempauth_conf`, or those of the identity service at `identity_url`. See [Credentials](credentials.md).',
  },
  tempauth_conf: {
    schema: optionalPath(),
    doc: "With `tempauth`: the proxy-server.conf of Swift with tempauth's users; it is read again when it changes. Relative to the configuration file.",
  },
  identity_url: {
    schema: optionalUrl('http://127.0.0.1:5000/v3'),
    doc: 'With `identity`: version 3 of the API of Keystone.',
  },
  identity_user: {
    schema: text(/^[^\s]{0,255}$/, 'the name of a user, or an empty text').default(''),
    doc: 'With `identity`: user of the gateway that may ask for signatures and for secrets. Empty: it asks without a token, which newer Keystones refuse, for each request, and signed chunks answer 501.',
  },
  identity_key_file: {
    schema: optionalPath(),
    doc: 'With `identity`: file with the password of `identity_user`, mode 0600. Relative to the configuration file.',
  },
  identity_project: {
    schema: text(/^[^\s]{0,255}$/, 'the name of a project, or an empty text').default('service'),
    doc: 'With `identity`: the project of `identity_user`.',
  },
  identity_domain: {
    schema: text(/^[^\s]{1,255}$/, 'the name of a domain').default('Default'),
    doc: 'With `identity`: the domain of `identity_user` and of `identity_project`.',
  },
  identity_owner_roles: {
    schema: roleNames().default(['admin', 'member', 'swiftoperator']),
    doc: 'With `identity`: a user with one of these roles in a project owns its account; other users may do what ACLs grant.',
  },
  identity_account_prefix: {
    schema: text(
      /^[\x21-\x2e\x30-\x7e]{0,64}$/,
      'the beginning of names of accounts, such as AUTH_',
    ).default('AUTH_'),
    doc: "With `identity`: what stands in front of the project's id in the name of its account, as `reseller_prefix` of Swift's keystoneauth.",
  },
  identity_accounts: {
    schema: accounts().default([]),
    doc: 'With `identity`: accounts that the janitor goes through, and whose buckets answer preflights of browsers before any client has signed a request there. The janitor also goes through those of all projects in which somebody has one of `identity_owner_roles`, as far as `identity_user` may ask for them.',
  },
  identity_cache_ms: {
    schema: integer(0, 86_400_000).default(60_000),
    doc: 'With `identity`: how long a listener goes by what it learned of an access key. A key that is revoked, or a role that is taken away, counts for at most this long while the service answers. 0: it asks for each request.',
  },
  identity_stale_ms: {
    schema: integer(0, 604_800_000).default(3_600_000),
    doc: 'With `identity`: how much longer than `identity_cache_ms` a listener goes by what it learned of an access key while the service cannot be asked. A key that is revoked meanwhile works on for so long, at most. 0: not at all.',
  },
  identity_timeout_ms: {
    schema: integer(100, 600_000).default(5_000),
    doc: 'With `identity`: how long an answer of the service may take; the request is answered 503 then.',
  },
  identity_requests_max: {
    schema: integer(1, 1_000).default(16),
    doc: 'With `identity`: requests of each listener to the service at the same time; eight times as many may wait, and one more is answered 503.',
  },
} as const satisfies Readonly<Record<string, KeyRule>>;

/** The keys of a Swift cluster as the backend. */
export const SWIFT_KEYS = {
  backend: {
    schema: oneOf(['embedded', 'swift']).default('embedded'),
    doc: 'Where objects are stored: in `data_dir`, or in the Swift cluster of the `swift_` keys. See [Swift](swift.md).',
  },
  swift_endpoints: {
    schema: baseUrls().default([]),
    doc: 'Proxies of the Swift cluster, without a path; one that fails is left out until it is well again.',
  },
  swift_auth_url: {
    schema: optionalUrl('http://127.0.0.1:8080/auth/v1.0'),
    doc: 'Where tokens are from: `…/auth/v1.0` of tempauth or swauth, or `…/v3` of Keystone. Empty: `/auth/v1.0` of the first of `swift_endpoints`.',
  },
  swift_user: {
    schema: text(/^[^\s]{0,255}$/, 'a user, such as gateway:gw, or an empty text').default(''),
    doc: "User that the gateway is towards Swift, with the reseller's rights in every account. Empty: in each account it is the first `owner` of the credentials.",
  },
  swift_key_file: {
    schema: optionalPath(),
    doc: 'File with the key or password of `swift_user`, mode 0600. Relative to the configuration file.',
  },
  swift_project: {
    schema: text(/^[^\s]{0,255}$/, 'the name of a project, or an empty text').default(''),
    doc: 'With Keystone: the project of `swift_user`.',
  },
  swift_domain: {
    schema: text(/^[^\s]{1,255}$/, 'the name of a domain').default('Default'),
    doc: 'With Keystone: the domain of `swift_user` and of `swift_project`.',
  },
  swift_filter_secret_file: {
    schema: optionalPath(),
    doc: "File with the secret that the proxies' filter shares with the gateway, mode 0600. Relative to the configuration file. Without it versions, locks, tags and ACLs of objects cannot be protected and answer 501.",
  },
  swift_storage_policy: {
    schema: text(
      /^[A-Za-z0-9_.-]{0,64}$/,
      'the name of a storage policy, or an empty text',
    ).default(''),
    doc: "Storage policy of new buckets. Empty: the cluster's default.",
  },
  swift_verify_md5: {
    schema: flag().default(false),
    doc: 'Take the MD5 of every upload, and let Swift compare it with its own. Without it the ETag of a plain upload is the MD5 that Swift took, which clients compare with theirs; so the gateway and the cluster spend less on each byte.',
  },
  swift_container_cache_ms: {
    schema: integer(0, 60_000).default(1_000),
    doc: 'How long a listener goes by what it knows of a bucket: its ACL, versioning state and other configuration. A change takes at most this long to be seen everywhere; changes by S3 of ACL, versioning, Object Lock and CORS are answered after it, or after two seconds.',
  },
  swift_connections_max: {
    schema: integer(1, 10_000).default(128),
    doc: 'Connections of each listener to each proxy.',
  },
  swift_queue_max: {
    schema: integer(0, 100_000).default(1_024),
    doc: 'Requests of each listener that may wait for a connection; one more is answered 503.',
  },
  swift_connect_timeout_ms: {
    schema: integer(10, 600_000).default(3_000),
    doc: 'How long a proxy may take to accept a connection.',
  },
  swift_headers_timeout_ms: {
    schema: integer(100, 3_600_000).default(60_000),
    doc: 'How long a proxy may take from the end of a request to the beginning of its answer.',
  },
  swift_body_timeout_ms: {
    schema: integer(100, 3_600_000).default(60_000),
    doc: 'How long nothing may come of an answer that has begun.',
  },
  swift_probe_timeout_ms: {
    schema: integer(100, 600_000).default(2_000),
    doc: 'How long a proxy may take to answer its health check, which it is asked when nothing was heard of it for `probe_interval_ms`, or for half a second while requests wait for it. Without an answer it is left out, and reads, and writes that cannot replace later ones, are taken back from it.',
  },
  swift_proxy_hedge_percent: {
    schema: integer(0, 50).default(5),
    doc: 'Reads, in percent, that may be sent to a second proxy as well when the first takes longer than 95 % of them did of late; the first answer counts. 0: none.',
  },
  swift_keep_alive_ms: {
    schema: integer(0, 600_000).default(20_000),
    doc: "How long an idle connection to a proxy is kept. Shorter than the proxies' `keepalive_timeout`.",
  },
  swift_rings_dir: {
    schema: optionalPath(),
    doc: "Directory with the cluster's ring files, such as /etc/swift: reads then go to the storage servers themselves. See [Direct reads](direct-reads.md). Relative to the configuration file. Empty: everything goes through proxies.",
  },
  swift_conf: {
    schema: optionalPath(),
    doc: "With `swift_rings_dir`: the cluster's swift.conf. Relative to the configuration file. Empty: that in `swift_rings_dir`.",
  },
  swift_node_connect_timeout_ms: {
    schema: integer(10, 600_000).default(500),
    doc: "With `swift_rings_dir`: how long a storage server may take to accept a connection; Swift's `conn_timeout`.",
  },
  swift_node_timeout_ms: {
    schema: integer(100, 600_000).default(3_000),
    doc: "With `swift_rings_dir`: how long a storage server may take until its answer begins, and how long nothing may come of one that has begun; Swift's `node_timeout`. The next server is asked then.",
  },
  swift_node_connections_max: {
    schema: integer(1, 10_000).default(64),
    doc: 'With `swift_rings_dir`: connections of each listener to each storage server.',
  },
  swift_read_affinity: {
    schema: text(
      /^(?:\s*r\d{1,9}(?:z\d{1,9})?\s*=\s*\d{1,9}\s*(?:,|$)){0,100}$/,
      "rules as Swift's read_affinity has them, such as r1z1=100, r2=200, or an empty text",
    ).default(''),
    doc: "With `swift_rings_dir`: which regions and zones are asked first, as Swift's `read_affinity`: the least number first. Empty: any.",
  },
  swift_hedge_ms: {
    schema: integer(0, 600_000).default(0),
    doc: 'With `swift_rings_dir`: after how long without an answer a second storage server is asked as well; whichever answers first is taken. 0: only when the first has failed.',
  },
} as const satisfies Readonly<Record<string, KeyRule>>;

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

/** The keys that say where TLS is spoken: see docs/tls.md. */
export const TLS_KEYS = {
  tls_cert_file: {
    schema: optionalPath(),
    doc: 'Certificate of the S3 API in PEM, with those that lead to its root behind it: `s3_listen` then speaks [TLS](tls.md), and nothing else. Read again by a reload. Relative to the configuration file. Empty: plain HTTP.',
  },
  tls_key_file: {
    schema: optionalPath(),
    doc: 'Private key of `tls_cert_file` in PEM, without a passphrase, not readable by every user of the machine.',
  },
  admin_tls_cert_file: {
    schema: optionalPath(),
    doc: 'The same for the admin port. It may be the same file.',
  },
  admin_tls_key_file: {
    schema: optionalPath(),
    doc: 'Private key of `admin_tls_cert_file`.',
  },
} as const satisfies Readonly<Record<string, KeyRule>>;
