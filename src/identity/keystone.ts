import { Pool } from 'undici';
import { Semaphore, type SemaphoreRefusal } from '../lib/semaphore.js';

/** The identity service cannot be asked, or does not answer as Keystone does; says nothing secret. */
export class IdentityUnavailable extends Error {
  override readonly name = 'IdentityUnavailable';
}

interface KeystoneOptions {
  /** `…/v3`, with or without a slash at its end. */
  readonly url: string;
  /** Milliseconds from the request to the end of its answer. */
  readonly timeoutMs: number;
  /** Requests at the same time. */
  readonly requestsMax: number;
}

export interface KeystoneRequest {
  readonly method: 'GET' | 'POST';
  /** Below the address, raw, with a slash in front; empty for the version document. */
  readonly path: string;
  /** The gateway's own. */
  readonly token?: string | undefined;
  /** The body of the question about a user's rights. */
  readonly body?: object | undefined;
}

export interface KeystoneAnswer {
  readonly status: number;
  /** `X-Subject-Token`: a token that was issued. */
  readonly subjectToken: string | undefined;
  /** Undefined when the body is no JSON. */
  readonly json: unknown;
}

/** Waiting requests allowed for each one that may be sent. */
const WAITING_PER_REQUEST = 8;
/** A token's document with a large catalogue of services has some 100 KiB. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** Version 3 of the API of an identity service: one request, one whole answer, all of it bounded. */
export class Keystone {
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  readonly #requests: Semaphore;

  constructor({ url, timeoutMs, requestsMax }: KeystoneOptions) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, {
      connections: requestsMax,
      connectTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    this.#prefix = pathname.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#requests = new Semaphore({
      capacity: requestsMax,
      queueMax: requestsMax * WAITING_PER_REQUEST,
      waitMsMax: timeoutMs,
    });
  }

  /** @throws IdentityUnavailable when there is no whole answer in time, or too many wait for one */
  async send(request: KeystoneRequest): Promise<KeystoneAnswer> {
    const refusal = await this.#requests.enter(1);
    if (refusal !== undefined) throw new IdentityUnavailable(this.#reason(refusal));
    try {
      return await this.#send(request);
    } finally {
      this.#requests.leave(1);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #reason(refusal: SemaphoreRefusal): string {
    return refusal === 'queue_full'
      ? 'too many requests wait for it'
      : `no answer to earlier requests in ${this.#timeoutMs} ms`;
  }

  async #send({ method, path, token, body }: KeystoneRequest): Promise<KeystoneAnswer> {
    try {
      const answer = await this.#pool.request({
        method,
        path: `${this.#prefix}${path}` || '/',
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { 'x-auth-token': token }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        // A bound on the whole call: timers of single phases let a server pass that sends a byte
        // each second.
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const subjectToken = answer.headers['x-subject-token'];
      return {
        status: answer.statusCode,
        subjectToken: typeof subjectToken === 'string' ? subjectToken : undefined,
        json: parse(await collect(answer.body)),
      };
    } catch (error) {
      const { message } = error as Error;
      throw new IdentityUnavailable(`no answer: ${message}`, { cause: error });
    }
  }
}

async function collect(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw new Error(`more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
