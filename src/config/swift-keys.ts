import {
  baseUrls,
  flag,
  integer,
  oneOf,
  optionalPath,
  optionalUrl,
  text,
  type KeyRule,
} from './keys.js';

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
    doc: 'How long a listener goes by what it knows of a bucket: its ACL, versioning state and other configuration. A change takes at most this long to be seen everywhere.',
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
  swift_keep_alive_ms: {
    schema: integer(0, 600_000).default(20_000),
    doc: "How long an idle connection to a proxy is kept. Shorter than the proxies' `keepalive_timeout`.",
  },
} as const satisfies Readonly<Record<string, KeyRule>>;
