import type { z } from 'zod';
import {
  address,
  flag,
  hosts,
  integer,
  networks,
  oneOf,
  optionalAddress,
  optionalPath,
  path,
  text,
  type KeyRule,
} from '../../src/config/keys.js';
import {
  clusterNodes,
  hostNames,
  keystoneRoles,
  number,
  optionalOrigin,
  optionalUpstream,
  upstreams,
  program,
  roster,
  texts,
  upstream,
} from './keys.js';

const name = (of: string) => text(/^[^\p{Cc}]{1,255}$/u, `the name of ${of}`);

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/**
 * Every key of the console's configuration (SPEC.md 2.5 and what its surfaces need besides).
 * docs/console-configuration.md is held against this table by a test.
 */
const KEYS = {
  bind: { schema: address().prefault('127.0.0.1:9000'), doc: 'Address of the console.' },
  store_base: {
    schema: upstream('http://127.0.0.1:8080'),
    doc: "Address of the cluster's proxy, or of the store's Swift API. Required.",
    defaultText: 'none',
  },
  auth_url: {
    schema: upstream('http://127.0.0.1:8080/auth/v1.0'),
    doc: "The cluster's login, with its path: `/auth/v1.0`, or `/v3` of [Keystone](console.md#keystone). Required.",
    defaultText: 'none',
  },
  keystone_domain: {
    schema: name('a domain').default('Default'),
    doc: 'With Keystone: the domain of users and projects that the login page proposes.',
  },
  keystone_project: {
    schema: text(/^[^\p{Cc}]{0,255}$/u, 'the name of a project, or an empty text').default(''),
    doc: 'With Keystone: the project that the login page proposes.',
  },
  keystone_roles: {
    schema: keystoneRoles().default({
      ResellerAdmin: 'operator',
      admin: 'admin',
      swiftoperator: 'admin',
      member: 'admin',
      reader: 'reader',
    }),
    doc: 'With Keystone: what the roles that a user has in a project allow in the console; the one with the most rights counts. A user with none of them may not log in.',
  },
  keystone_account_prefix: {
    schema: text(/^[\x21-\x2e\x30-\x7e]{0,64}$/, 'the beginning of names of accounts').default(
      'AUTH_',
    ),
    doc: "With Keystone: what stands in front of the project's id in the name of its account.",
  },
  keystone_user: {
    schema: text(/^[^\s]{0,255}$/, 'the name of a user, or an empty text').default(''),
    doc: 'With Keystone: user of the console, with the role `service` or `admin`, who asks about access keys. Empty: it asks without one, which newer Keystones refuse, so that no user can log in with an access key.',
  },
  keystone_key_file: {
    schema: optionalPath(),
    doc: "With Keystone: file with that user's password, mode 0600.",
  },
  keystone_user_project: {
    schema: name('a project').default('service'),
    doc: 'With Keystone: the project of `keystone_user`.',
  },
  keystone_user_domain: {
    schema: name('a domain').default('Default'),
    doc: 'With Keystone: the domain of `keystone_user` and of that project.',
  },
  metrics_listen: {
    schema: optionalAddress().prefault(''),
    doc: "Address of the console's own `/metrics`, for a console by itself: that of a service is in the service's. Anybody who reaches it may read them. Empty: there is none.",
  },
  store_public_base: {
    schema: optionalUpstream('https://swift.example.com'),
    doc: 'Address under which people outside reach the store: TempURLs begin with it. Empty: pages share no objects by TempURL, and `POST /api/files/tempurl` gives the path alone.',
  },
  s3_base: {
    schema: optionalUpstream('http://127.0.0.1:8000'),
    doc: "The gateway's S3 API, for which the console signs requests as the user who is logged in, wherever S3 keeps the versions of a bucket. Empty: Files shows such buckets, and changes nothing in them.",
  },
  s3_public_base: {
    schema: optionalOrigin('https://s3.example.com'),
    doc: 'Address under which people outside reach S3: presigned URLs begin with it, by which objects of buckets are shared. A proxy there has to pass on `Host`, or be one of `external_hosts`. Empty: objects are shared by TempURLs, and those of buckets with S3 versions not at all.',
  },
  s3_region: {
    schema: text(/^[a-z0-9-]{1,64}$/, 'a region name').default('us-east-1'),
    doc: 'The region that is signed for.',
  },
  s3_cert_file: {
    schema: optionalPath(),
    doc: 'File with the certificate, in PEM, that an https `s3_base` has to show, whatever names are in it. Empty: one of a known authority.',
  },
  cluster_name: {
    schema: text(/^[^\p{Cc}]{1,64}$/u, 'a name of at most 64 characters').default('Ringway'),
    doc: 'What the top bar calls the cluster.',
  },
  accounts: {
    schema: roster().default([]),
    doc: 'Who may log in, as `{"account", "user", "role"}`. Required, but for Keystone, where `keystone_roles` says it. Roles: `reader`, `member`, `admin`, `operator`. A role only narrows what the store allows. `access_keys` lists the access keys of S3 whose secret may be the key of this user; without it the login name is the access key.',
    defaultText: 'none',
  },
  credentials_file: {
    schema: optionalPath(),
    doc: 'File with the access keys of the service, which operators change in *Access keys*. Empty: there is no such page.',
  },
  session_idle_hours: {
    schema: number(0.01, 720).default(8),
    doc: 'A session ends after so many hours without a request of its user.',
  },
  login_max_per_min: {
    schema: integer(1, 1000).default(5),
    doc: 'Logins that one address may try in a minute.',
  },
  max_upload_bytes: {
    schema: integer(1, 5 * 1024 * GIB).default(5 * GIB),
    doc: 'Largest body of one request. Larger files go up in segments.',
  },
  segment_bytes: {
    schema: integer(1 * MIB, 5 * GIB).default(256 * MIB),
    doc: 'Segments in which pages upload large files, so that they can be resumed.',
  },
  tempurl_default_secs: {
    schema: integer(1, 365 * 86400).default(3600),
    doc: 'For how long a TempURL is valid when nothing else is asked for.',
  },
  trash_days: {
    schema: integer(1, 3650).default(30),
    doc: 'Days after which what lies in the trash is deleted for good.',
  },
  cookie_secure: {
    schema: oneOf(['auto', 'always', 'never']).default('auto'),
    doc: "Whether the session's cookie is for https only. `auto`: when the request came by https, as a proxy of `trusted_proxies` says.",
  },
  allowed_hosts: {
    schema: hosts().default([]),
    doc: 'Values of `Host` that are answered, besides `bind` itself, `localhost` and loopback addresses with its port. Others get 421.',
  },
  trusted_proxies: {
    schema: networks().default([]),
    doc: 'Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` count.',
  },
  state_dir: {
    schema: path().default('./console-state'),
    doc: 'Directory of the audit log with its lock, of the journal of runs, of `monitor-history.bin` and of `monitor-alerts.json`. Relative to the configuration file.',
  },
  audit_bytes_max: {
    schema: integer(64 * 1024, 16 * GIB).default(64 * MIB),
    doc: 'Bytes of the audit log with its older files. The oldest file, an eighth, is let go when there are more.',
  },
  deploy_upstream: {
    schema: optionalUpstream('http://127.0.0.1:9700'),
    doc: 'Deploy control service. Empty: there is no Deploy surface.',
  },
  deploy_user: {
    schema: text(/^[^\s:]{0,128}$/, 'a user name').default(''),
    doc: 'User of the deploy control service.',
  },
  deploy_token_file: { schema: optionalPath(), doc: "File with that user's password, mode 0600." },
  admin_url: {
    schema: optionalUpstream('http://127.0.0.1:9464'),
    doc: 'Admin port of the gateway: source of the built-in collector and of the built-in log tail. Empty: they know nothing of the gateway.',
  },
  admin_token_file: {
    schema: optionalPath(),
    doc: 'File with the token that the admin port asks for, mode 0600.',
  },
  admin_cert_file: {
    schema: optionalPath(),
    doc: 'File with the certificate, in PEM, that an https `admin_url` has to show, whatever names are in it. Empty: one of a known authority.',
  },
  metrics_url: {
    schema: optionalUpstream('http://127.0.0.1:9090'),
    doc: 'Prometheus to query. Empty: the built-in collector.',
  },
  logs_url: {
    schema: optionalUpstream('http://127.0.0.1:3100'),
    doc: 'Log store with the API of Loki. Empty: the built-in log tail.',
  },
  statsd_listen: {
    schema: optionalAddress().prefault(''),
    doc: 'UDP address that Swift sends its timers to, as statsd (`log_statsd_host`), for the Lab. Whoever reaches it may send. Empty: there is none.',
  },
  proxy_bases: {
    schema: upstreams('http://10.0.0.1:8080'),
    doc: "Addresses of Swift's proxies, of the scheme and path of `store_base`: where one does not answer, the console goes on with another, as the gateway does. The Lab asks their [filter](swift.md#timers-of-the-filter) for its timers. Empty: `store_base`.",
  },
  metrics_queries: { schema: texts(), doc: "PromQL by panel, in place of a panel's own." },
  logs_labels: { schema: texts(), doc: 'Names of labels in the log store, by what they mean.' },
  recon_interval_s: {
    schema: integer(1, 3600).default(10),
    doc: 'How often the built-in collector asks.',
  },
  cluster_nodes: {
    schema: clusterNodes(),
    doc: 'Storage nodes: `name`, `storage_ip`, `replication_ip`, `public_ip`, `devices`, and for `local-procs` their `services`.',
  },
  node_driver: {
    schema: oneOf(['none', 'local-procs', 'local-systemd', 'swift-init', 'ssh']).default('none'),
    doc: 'How services of nodes are stopped and started. `none`: they are not.',
  },
  proxy_nodes: {
    schema: hostNames(),
    doc: 'Proxies whose configuration holds the users: one on this host, or any number with the `node_driver` `ssh`.',
  },
  proxy_conf: {
    schema: optionalPath(),
    doc: "The proxies' configuration file, at the same path on each.",
  },
  proxy_service: {
    schema: text(/^[A-Za-z0-9@._-]{0,128}$/, 'a name of a service').default(''),
    doc: "Name of the proxies' service, as `node_driver` takes it. Empty: proxies read their users again by themselves.",
  },
  proxy_port: { schema: integer(1, 65535).default(8080), doc: 'Port of the proxies.' },
  account_admin: {
    schema: flag().default(false),
    doc: 'Allows operators to edit the users of the proxies. Needs `proxy_nodes` and `proxy_conf`.',
  },
  test_enabled: {
    schema: flag().default(false),
    doc: 'Allows operators to run benchmarks. Needs `benchmark_bin` and `benchmark_home`.',
  },
  benchmark_bin: {
    schema: program(),
    doc: 'The benchmark program, such as `ops/benchmark/ringway-benchmark.mjs` of this project.',
  },
  benchmark_home: {
    schema: optionalPath(),
    doc: 'Directory with a folder `profiles`, such as `ops/benchmark` of this project.',
  },
  lab_enabled: { schema: flag().default(false), doc: 'Shows the Lab to operators.' },
  lab_mutations: {
    schema: flag().default(false),
    doc: 'Lets the Lab write the objects of capsules into containers, and stop services of nodes. Needs `lab_enabled`.',
  },
  store_dir: { schema: optionalPath(), doc: 'Directory with rings and swift.conf.' },
  hash_conf: {
    schema: optionalPath(),
    doc: 'The swift.conf to read. Empty: the one in `store_dir`.',
  },
  node_root: { schema: optionalPath(), doc: "Directory with the nodes' devices." },
  ringsim_bin: { schema: program(), doc: 'Program that simulates rings.' },
  getnodes_bin: { schema: program(), doc: 'The program swift-get-nodes.' },
  objinfo_bin: { schema: program(), doc: 'The program swift-object-info.' },
  shadow_peer_base: {
    schema: optionalUpstream('http://127.0.0.1:8081'),
    doc: 'Second cluster that the Lab compares with.',
  },
  shadow_peer_auth: {
    schema: optionalUpstream('http://127.0.0.1:8081/auth/v1.0'),
    doc: 'Its login.',
  },
  shadow_peer_label: {
    schema: text(/^[^\p{Cc}]{1,64}$/u, 'a name of at most 64 characters').default('peer'),
    doc: 'What the Lab calls it.',
  },
  shadow_root: { schema: optionalPath(), doc: "Directory of the Lab's corpus and findings." },
} as const satisfies Readonly<Record<string, KeyRule>>;

export type ConsoleKey = keyof typeof KEYS;

export type ConsoleConfig = { readonly [K in ConsoleKey]: z.infer<(typeof KEYS)[K]['schema']> };

export const CONSOLE_KEYS = Object.keys(KEYS) as readonly ConsoleKey[];

export function ruleOf(key: ConsoleKey): KeyRule {
  return KEYS[key];
}

export const CONSOLE_RULES: Readonly<Record<string, KeyRule>> = KEYS;
