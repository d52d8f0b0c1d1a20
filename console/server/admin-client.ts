import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '../../src/config/problem.js';
import { readSecretFile } from '../../src/config/secret-file.js';
import type { ConsoleOptions } from '../config/load.js';
import { parseUpstream } from '../swift/address.js';
import { UpstreamError } from '../swift/errors.js';
import { readBody, Upstream } from '../swift/upstream.js';

export interface AdminAnswer {
  readonly status: number;
  readonly text: string;
}

type AdminOptions = Pick<ConsoleOptions, 'adminUrl' | 'adminTokenFile' | 'adminCertFile'>;

/** A page does not wait longer for a figure. */
const IDLE_MS = 5000;
/** Metrics of 256 listeners; 5000 log lines. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** The gateway's admin port, where metrics, stages, processes and the last log lines are from. */
export class AdminClient {
  readonly #upstream: Upstream | undefined;
  readonly #tokenFile: string;

  /** @throws ConfigError when there is no certificate in the file that should have one */
  constructor({ adminUrl, adminTokenFile, adminCertFile }: AdminOptions) {
    this.#tokenFile = adminTokenFile;
    if (adminUrl === '') return;
    this.#upstream = new Upstream(
      parseUpstream(adminUrl),
      trustOnly('admin_cert_file', adminCertFile),
    );
  }

  /** Whether there is an address to ask. */
  get isConfigured(): boolean {
    return this.#upstream !== undefined;
  }

  /**
   * @param rawPath with its query, encoded
   * @throws UpstreamError when there is no answer, or none that can be read
   */
  async get(rawPath: string, signal?: AbortSignal): Promise<AdminAnswer> {
    if (this.#upstream === undefined) throw new UpstreamError('unavailable');
    const headers = this.#authorization();
    const request = { method: 'GET', rawPath, headers, idleMs: IDLE_MS, signal };
    const { status, body } = await this.#upstream.send(request);
    return { status, text: (await readBody(body, BODY_BYTES_MAX)).toString('utf8') };
  }

  close(): void {
    this.#upstream?.close();
  }

  /** Read each time: a token that is changed needs no restart. */
  #authorization(): Readonly<Record<string, string>> {
    if (this.#tokenFile === '') return {};
    try {
      const token = readSecretFile('admin_token_file', this.#tokenFile);
      return { authorization: `Bearer ${token}` };
    } catch (cause) {
      throw new UpstreamError('unavailable', { cause });
    }
  }
}

const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

/**
 * The first certificate of a file is the server's own, and the only one that is trusted: not its
 * issuer, who signs other certificates as well.
 * @param name of the configuration's key
 */
export function trustOnly(name: string, file: string): ConnectionOptions {
  if (file === '') return {};
  const problem = (expected: string) =>
    new ConfigError([{ source: 'file', key: `${name} (${file})`, expected }]);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw problem(`a readable file (${(error as Error).message})`);
  }
  const [ca] = FIRST_CERTIFICATE.exec(text) ?? [];
  if (ca === undefined) throw problem('a certificate in PEM');
  return { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}
