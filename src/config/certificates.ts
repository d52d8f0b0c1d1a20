import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { FilledOptions } from './options.js';
import { ConfigError, takeAll } from './problem.js';

/** Certificate and key of a port that speaks TLS, read and found good. */
export interface Certificate {
  /** PEM, with the intermediate certificates. */
  readonly cert: Buffer;
  /** PEM. */
  readonly key: Buffer;
  readonly expiresAt: Date;
}

/** Undefined for a port that speaks no TLS. */
export interface Certificates {
  readonly s3: Certificate | undefined;
  readonly admin: Certificate | undefined;
}

export interface ReadCertificates extends Certificates {
  /** Warnings for the operator; none of them prevents the start. */
  readonly warnings: readonly string[];
}

/** Everybody on the machine. A group, such as Debian's ssl-cert, may read. */
const EVERYBODY = 0o007;

/**
 * Reads the certificates that the configuration names, and proves that they can be used.
 * @throws ConfigError
 */
export function readCertificates(options: FilledOptions, now = Date.now()): ReadCertificates {
  const [s3, admin] = takeAll([
    () => readCertificate(options.tlsCertFile, options.tlsKeyFile),
    () => readCertificate(options.adminTlsCertFile, options.adminTlsKeyFile, 'admin_tls'),
  ]);
  return { s3, admin, warnings: [...expired('tls', s3, now), ...expired('admin_tls', admin, now)] };
}

/** Only a warning: a port that clients may refuse is better than none, and they may not check. */
function expired(prefix: string, certificate: Certificate | undefined, now: number): string[] {
  if (certificate === undefined || certificate.expiresAt.getTime() > now) return [];
  return [`${prefix}_cert_file: expired at ${certificate.expiresAt.toISOString()}`];
}

/**
 * @param prefix - of the keys that name the files, for the report
 * @returns undefined without a file
 * @throws ConfigError, also when everybody can read the key
 */
export function readCertificate(
  certFile: string,
  keyFile: string,
  prefix = 'tls',
): Certificate | undefined {
  if (certFile === '') return undefined;
  const [cert, key] = takeAll([
    () => readPem(`${prefix}_cert_file`, certFile),
    () => readPem(`${prefix}_key_file`, keyFile),
  ]);
  if ((statSync(keyFile).mode & EVERYBODY) !== 0) {
    const expected = `a file that not everybody can read (chmod o= ${keyFile})`;
    throw problem(`${prefix}_key_file`, keyFile, expected);
  }
  const leaf = attempt(`${prefix}_cert_file`, certFile, 'a certificate in PEM', () => {
    return new X509Certificate(cert);
  });
  const expectedKey = 'a private key in PEM, without a passphrase';
  const privateKey = attempt(`${prefix}_key_file`, keyFile, expectedKey, () => {
    return createPrivateKey(key);
  });
  if (!leaf.checkPrivateKey(privateKey)) {
    throw problem(`${prefix}_key_file`, keyFile, `the key of ${certFile}`);
  }
  attempt(`${prefix}_cert_file`, certFile, 'what OpenSSL takes', () => {
    return createSecureContext({ cert, key });
  });
  return { cert, key, expiresAt: new Date(leaf.validTo) };
}

function readPem(key: string, file: string): Buffer {
  return attempt(key, file, 'a readable file', () => readFileSync(file));
}

function attempt<T>(key: string, file: string, expected: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw problem(key, file, `${expected} (${(error as Error).message})`);
  }
}

function problem(key: string, file: string, expected: string): ConfigError {
  return new ConfigError([{ source: 'file', key: `${key} (${file})`, expected }]);
}
