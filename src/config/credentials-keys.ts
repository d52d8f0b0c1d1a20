import {
  accounts,
  integer,
  oneOf,
  optionalPath,
  optionalUrl,
  roleNames,
  text,
  type KeyRule,
} from './keys.js';

/** The keys that say who may sign requests. */
export const CREDENTIALS_KEYS = {
  credentials_source: {
    schema: oneOf(['file', 'tempauth', 'identity']).default('file'),
    doc: 'Who may sign requests: the access keys of `credentials_file`, the users of `tempauth_conf`, or those of the identity service at `identity_url`. See [Credentials](credentials.md).',
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
    doc: 'With `identity`: whoever has one of these roles in a project owns its account; others may do what ACLs grant.',
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
    doc: 'With `identity`: accounts that the janitor goes through, and whose buckets answer preflights of browsers before anybody has signed a request there. The service tells no list of them.',
  },
  identity_cache_ms: {
    schema: integer(0, 86_400_000).default(60_000),
    doc: 'With `identity`: how long a listener goes by what it learned of an access key. A key that is revoked, or a role that is taken away, counts for at most this long. 0: it asks for each request.',
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
