import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './programs.js';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A self-signed certificate for this machine's loopback addresses, as files in a folder. */
export async function makeCertificate(folder: string, name: string): Promise<CertificateFiles> {
  const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  await mustRun('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '30', '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', certFile],
    ...['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
  ]);
  await chmod(keyFile, 0o600);
  return { certFile, keyFile };
}
