import { Pool } from 'undici';
import { Semaphore, type SemaphoreRefusal } from '../lib/semaphore.js';
import { collectText } from '../lib/collect-text.js';
import { parseJson } from '../lib/parse-json.js';

/** The identity service cannot be asked, or does not answer as Keystone does; says nothing secret. */
export class IdentityUnavailable extends Error {
  override readonly name = 'IdentityUnavailable';
}

/** A request that has ended, with its answer or without. */
export interface KeystoneCall {
  readonly purpose: KeystonePurpose;
  /** The status; without a whole answer what went wrong: `timeout`, `connection` or `busy`. */
  readonly code: string;
  /** From the request to the end of its answer, time in the queue left out. */
  readonly durationS: number;
}

/** The purpose of a request, from a fixed list: it becomes a label. */
export type KeystonePurpose = 'verify' | 'secret' | 'login' | 'accounts' | 'probe';

interface KeystoneOptions {
  /** `…/v3`, with or without a slash at its end. */
  readonly url: string;
  /** Milliseconds from the request to the end of its answer. */
  readonly timeoutMs: number;
  /** Requests at the same time. */
  readonly requestsMax: number;
  readonly onCall?: ((call: KeystoneCall) => void) | undefined;
}

export interface KeystoneRequest {
  readonly purpose: KeystonePurpose;
  readonly method: 'GET' | 'POST';
  /** Below the address, raw, with a slash in front; empty for the version document. */
  readonly path: string;
  /** The gateway's own. */
  readonly token?: string | undefined;
  /** The body of the question about a user's rights. */
  readonly body?: object | undefined;
  /** Default: {@link ANSWER_BYTES_MAX}. */
  readonly answerBytesMax?: number | undefined;
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
  readonly #onCall: (call: KeystoneCall) => void;

  constructor({ url, timeoutMs, requestsMax, onCall = () => undefined }: KeystoneOptions) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, {
      connections: requestsMax,
      connectTimeout: timeoutMs,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    this.#prefix = pathname.replace(/\/+$/, '');
    this.#timeoutMs = timeoutMs;
    this.#onCall = onCall;
    this.#requests = new Semaphore({
      capacity: requestsMax,
      queueMax: requestsMax * WAITING_PER_REQUEST,
      waitMsMax: timeoutMs,
    });
  }

  /** @throws IdentityUnavailable when there is no whole answer in time, or too many wait for one */
  async send(request: KeystoneRequest): Promise<KeystoneAnswer> {
    const refusal = await this.#requests.enter(1);
    const { purpose } = request;
    if (refusal !== undefined) {
      this.#onCall({ purpose, code: 'busy', durationS: 0 });
      throw new IdentityUnavailable(this.#reason(refusal));
    }
    const startedAt = performance.now();
    const ended = (code: string): void => {
      this.#onCall({ purpose, code, durationS: (performance.now() - startedAt) / 1000 });
    };
    try {
      const answer = await this.#send(request);
      ended(String(answer.status));
      return answer;
    } catch (error) {
      ended(isTimeout(error) ? 'timeout' : 'connection');
      const { message } = error as Error;
      throw new IdentityUnavailable(`no answer: ${message}`, { cause: error });
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

  async #send(request: KeystoneRequest): Promise<KeystoneAnswer> {
    const { method, path, token, body, answerBytesMax = ANSWER_BYTES_MAX } = request;
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
    const tooLong = `more than ${answerBytesMax} bytes`;
    return {
      status: answer.statusCode,
      subjectToken: typeof subjectToken === 'string' ? subjectToken : undefined,
      json: parseJson(await collectText(answer.body, answerBytesMax, tooLong)),
    };
  }
}

/** Whether the whole call, or one of its parts by a timer of undici, took too long. */
function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'TimeoutError' || (typeof code === 'string' && /^UND_ERR_.*TIMEOUT$/.test(code));
}
