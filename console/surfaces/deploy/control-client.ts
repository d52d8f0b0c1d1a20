import type { IncomingMessage } from 'node:http';
import { readSecretFile } from '../../../src/config/secret-file.js';
import type { ConsoleOptions } from '../../config/load.js';
import { ApiError } from '../../server/api-error.js';
import { parseUpstream } from '../../swift/address.js';
import { UpstreamError } from '../../swift/errors.js';
import { readBody, Upstream } from '../../swift/upstream.js';
import { badResponse, controlError } from './control-errors.js';

type ControlOptions = Pick<ConsoleOptions, 'deployUpstream' | 'deployUser' | 'deployTokenFile'>;

export interface ControlRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** Below `/v1`, with its parts encoded. */
  readonly path: string;
  /** Headers of the contract: `if-match`, `idempotency-key`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: Buffer | string | undefined;
  readonly signal?: AbortSignal;
  /** How long nothing may come. */
  readonly idleMs?: number | undefined;
}

export interface ControlAnswer {
  readonly status: number;
  /** The entity tag as it was sent; undefined without one. */
  readonly etag: string | undefined;
  /** The last part of the path in `Location`: the id of what was made. */
  readonly made: string | undefined;
  readonly type: string;
  /** To be read, piped or destroyed: it holds a connection. */
  readonly body: IncomingMessage;
}

/** A thousand problems with their paths and messages. */
const ERROR_BYTES_MAX = 1024 * 1024;

/** The control service of Deploy, with the console's own credentials, which no browser sees. */
export class ControlClient {
  readonly #upstream: Upstream;

  constructor(private readonly options: ControlOptions) {
    this.#upstream = new Upstream(parseUpstream(options.deployUpstream));
  }

  /** @throws ApiError when the service does not answer, or answers with another status than 2xx */
  async send(request: ControlRequest): Promise<ControlAnswer> {
    const { method, path, headers, body, signal, idleMs } = request;
    const answer = await this.#asked(() =>
      this.#upstream.send({
        method,
        rawPath: `/v1${path}`,
        headers: {
          authorization: this.#authorization(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body,
        signal,
        idleMs,
      }),
    );
    const { status, headers: said, body: incoming } = answer;
    if (status < 200 || status >= 300) {
      const text = await this.#asked(() => readBody(incoming, ERROR_BYTES_MAX));
      throw controlError({ status, retryAfter: said['retry-after'], text: text.toString('utf8') });
    }
    return {
      status,
      etag: said.etag,
      made: /\/([\w-]{1,128})$/.exec(said.location ?? '')?.[1],
      type: said['content-type'] ?? '',
      body: incoming,
    };
  }

  /** @returns the answer as JSON @throws ApiError like `send`; also when it is no JSON */
  async json(request: ControlRequest, bytesMax: number): Promise<unknown> {
    const { body, status } = await this.send(request);
    const text = (await this.#asked(() => readBody(body, bytesMax))).toString('utf8');
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw badResponse(status);
    }
  }

  close(): void {
    this.#upstream.close();
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The browser has gone away, and reads no answer.
      if (error instanceof Error && error.name === 'AbortError') throw unreachable();
      if (!(error instanceof UpstreamError)) throw error;
      if (error.kind === 'invalid') throw badResponse(200);
      throw error.kind === 'timeout'
        ? new ApiError('deploy_timeout', 'The deploy service timed out.')
        : unreachable();
    }
  }

  /** The password is read each time: one that is changed needs no restart. */
  #authorization(): string {
    const { deployUser, deployTokenFile } = this.options;
    let token: string;
    try {
      token = readSecretFile('deploy_token_file', deployTokenFile);
    } catch {
      throw new ApiError('deploy_unconfigured', 'Could not read the deploy service password.', {
        needs: 'deploy_token_file',
      });
    }
    return `Basic ${Buffer.from(`${deployUser}:${token}`).toString('base64')}`;
  }
}

function unreachable(): ApiError {
  return new ApiError('deploy_unreachable', 'The deploy service is not responding.');
}
