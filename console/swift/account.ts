import { SwiftStatusError, UpstreamError } from './errors.js';
import type { SwiftToken } from './login.js';
import { swiftPath, type SwiftQuery, type SwiftTarget } from './path.js';
import { isReadable } from './server.js';
import { readBody, type Upstream, type UpstreamAnswer, type UpstreamRequest } from './upstream.js';

export interface SwiftRequest extends SwiftTarget, Omit<UpstreamRequest, 'method' | 'rawPath'> {
  readonly query?: SwiftQuery;
}

interface SwiftAccountOptions {
  readonly store: Upstream;
  readonly token: SwiftToken;
  /** Logs in again; what it throws ends the session. */
  readonly login: () => Promise<SwiftToken>;
  readonly now: () => number;
}

/** A token that worked so recently is not tried before a body is sent with it. */
const TOKEN_TRUST_MS = 30_000;

/** How long a user may go on without the store having said that the token still works. */
const TOKEN_CHECK_MS = 5 * 60_000;

const TEXT_BYTES_MAX = 16 * 1024;

/** A user's account on the store. A token that the store has forgotten is renewed once. */
export class SwiftAccount {
  #token: SwiftToken;
  #renewal: Promise<void> | undefined;
  #workedAtMs: number;
  #checkedAtMs = 0;

  constructor(private readonly options: SwiftAccountOptions) {
    this.#token = options.token;
    this.#workedAtMs = options.now();
  }

  /** Its name on the store: never for the browser. */
  get name(): string {
    return this.#token.account;
  }

  /**
   * Sends a request, whatever the status of its answer.
   * @throws UpstreamError, also when the store knows no token of its own; what the login throws
   */
  async send(method: string, request: SwiftRequest): Promise<UpstreamAnswer> {
    const { body } = request;
    const streams = isReadable(body);
    if (streams) {
      // The client may leave meanwhile: an error without a listener would end the process.
      body.once('error', ignore);
      await this.#ensureToken();
    }
    const used = this.#token;
    const answer = await this.#sendWith(used, method, request);
    if (answer.status !== 401) {
      this.#workedAtMs = this.options.now();
      return answer;
    }
    answer.body.resume();
    await this.#renew(used);
    // A stream can be sent but once.
    if (!streams) {
      const again = await this.#sendWith(this.#token, method, request);
      if (again.status !== 401) return again;
      again.body.destroy();
    }
    // The user can log in, and is not refused: the store has lost its own token, as happens while
    // memcached does not answer.
    throw new UpstreamError('unavailable');
  }

  /** Sends a request without a token, to see whether the container is open to all. @throws UpstreamError */
  async askAsAnybody(method: string, target: SwiftTarget): Promise<UpstreamAnswer> {
    const rawPath = swiftPath(this.#token.account, target);
    const answer = await this.options.store.send({ method, rawPath, headers: {} });
    await readBody(answer.body, TEXT_BYTES_MAX);
    return answer;
  }

  /**
   * Like {@link send}, for requests whose answers have one of these statuses.
   * @throws SwiftStatusError for any other
   */
  async expect(
    statuses: readonly number[],
    method: string,
    request: SwiftRequest,
  ): Promise<UpstreamAnswer> {
    const answer = await this.send(method, request);
    if (statuses.includes(answer.status)) return answer;
    throw await statusError(answer);
  }

  /** Like {@link expect}, and reads the body whole. */
  async read(
    statuses: readonly number[],
    method: string,
    request: SwiftRequest,
    bytesMax: number,
  ): Promise<{ readonly answer: UpstreamAnswer; readonly body: Buffer }> {
    const answer = await this.expect(statuses, method, request);
    return { answer, body: await readBody(answer.body, bytesMax) };
  }

  /** Like {@link expect}, for answers whose body does not matter. */
  async do(
    statuses: readonly number[],
    method: string,
    request: SwiftRequest,
  ): Promise<UpstreamAnswer> {
    return (await this.read(statuses, method, request, TEXT_BYTES_MAX)).answer;
  }

  /**
   * Asks the store whether the token still works, where it was not asked for five minutes: pages that
   * need nothing of the store would otherwise stay open to users who have lost their rights.
   * @throws as {@link send}
   */
  async check(): Promise<void> {
    const sinceMs = this.options.now() - Math.max(this.#workedAtMs, this.#checkedAtMs);
    if (sinceMs < TOKEN_CHECK_MS) return;
    this.#checkedAtMs = this.options.now();
    (await this.send('HEAD', {})).body.resume();
  }

  /** A stream can be sent but once: the token is tried before. */
  async #ensureToken(): Promise<void> {
    if (this.options.now() - this.#workedAtMs < TOKEN_TRUST_MS) return;
    (await this.send('HEAD', {})).body.resume();
  }

  #sendWith({ token, account }: SwiftToken, method: string, request: SwiftRequest) {
    const { query, headers, body, idleMs, signal } = request;
    const rawPath = swiftPath(account, request, query);
    const all = { 'x-auth-token': token, ...headers };
    return this.options.store.send({ method, rawPath, headers: all, body, idleMs, signal });
  }

  /** Requests that find the token gone at the same time share one login. */
  async #renew(used: SwiftToken): Promise<void> {
    if (this.#token !== used) return;
    this.#renewal ??= this.options
      .login()
      .then((token) => {
        this.#token = token;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    await this.#renewal;
  }
}

/** Takes what an answer says, bounded, into an error. */
export async function statusError(answer: UpstreamAnswer): Promise<SwiftStatusError> {
  const text = await readBody(answer.body, TEXT_BYTES_MAX).catch(() => Buffer.alloc(0));
  return new SwiftStatusError(answer.status, text.toString('utf8'));
}

function ignore(): void {
  // `Upstream.send` tells of a stream that has failed.
}
