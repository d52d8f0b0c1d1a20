import { optionalPath, type KeyRule } from './keys.js';

/** The keys that say where TLS is spoken: see docs/tls.md. */
export const TLS_KEYS = {
  tls_cert_file: {
    schema: optionalPath(),
    doc: 'Certificate of the S3 API in PEM, with those that lead to its root behind it: `s3_listen` then speaks [TLS](tls.md), and nothing else. Read again by a reload. Relative to the configuration file. Empty: plain HTTP.',
  },
  tls_key_file: {
    schema: optionalPath(),
    doc: 'Private key of `tls_cert_file` in PEM, without a passphrase, not readable by everybody.',
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
