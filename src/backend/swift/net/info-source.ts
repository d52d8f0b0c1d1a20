import { BackendError } from '../../errors.js';
import type { SwiftInfo } from '../transport.js';
import type { Answer } from './answer.js';
import { AttemptError } from './attempt-error.js';
import { commonInfo, parseInfo } from './cluster-info.js';
import type { Endpoint } from './endpoint.js';

/** Twenty times that of a Swift with all of its own middlewares. */
const INFO_BYTES_MAX = 256 * 1024;
/** When it could not be had anew: what was known stays, and this long later it is tried again. */
const AGAIN_MS = 5_000;

/** Asks one endpoint for `/info`, signed where there is a secret. */
export type AskInfo = (endpoint: Endpoint, signed: boolean) => Promise<Answer | AttemptError>;

/** What the cluster can do, asked of every endpoint, and kept for a while. */
export class InfoSource {
  #known: SwiftInfo | undefined;
  #until = 0;
  #pending: Promise<SwiftInfo> | undefined;

  constructor(
    private readonly endpoints: readonly Endpoint[],
    private readonly ask: AskInfo,
    private readonly infoMs: number,
    /** Whether there is a secret: without one no filter listens. */
    private readonly signs: boolean,
    /** An endpoint said what it has. */
    private readonly heard: (endpoint: Endpoint) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws BackendError Unavailable, when it was never known */
  get(): Promise<SwiftInfo> {
    if (this.#known !== undefined && this.now() < this.#until) return Promise.resolve(this.#known);
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /**
   * Whether this endpoint has the filter that all had.
   * @throws BackendError Unavailable when it has not, or does not say
   */
  async check(endpoint: Endpoint): Promise<void> {
    const expected = this.#known?.filter;
    if (expected === undefined) return;
    const { filter } = await this.#askOne(endpoint);
    if (filter?.exclusiveCreate === expected.exclusiveCreate && filter !== undefined) return;
    throw new BackendError(
      'Unavailable',
      'this proxy lacks the filter that the others have, or has another secret or other memcached servers',
    );
  }

  async #renew(): Promise<SwiftInfo> {
    try {
      this.#known = await this.#askAll();
      this.#until = this.now() + this.infoMs;
    } catch (error) {
      if (this.#known === undefined) throw error;
      this.#until = this.now() + Math.min(AGAIN_MS, this.infoMs);
    }
    return this.#known;
  }

  async #askAll(): Promise<SwiftInfo> {
    const well = this.endpoints.filter((endpoint) => endpoint.health.well);
    const asked = well.length === 0 ? this.endpoints : well;
    const results = await Promise.allSettled(asked.map((endpoint) => this.#askOne(endpoint)));
    const [first, ...others] = results.flatMap((result) =>
      result.status === 'fulfilled' ? [result.value] : [],
    );
    if (first !== undefined) return commonInfo([first, ...others]);
    const failure = results.find((result) => result.status === 'rejected');
    throw failure?.reason;
  }

  /** A filter that does not know the secret refuses the signature: it is none of ours. */
  async #askOne(endpoint: Endpoint): Promise<SwiftInfo> {
    const answer = await this.#answer(endpoint, this.signs);
    if (answer.status === 403 && this.signs) {
      answer.cancel();
      const unsigned = await this.#parse(endpoint, await this.#answer(endpoint, false));
      return { ...unsigned, filter: undefined };
    }
    const info = await this.#parse(endpoint, answer);
    if (info.filter !== undefined) this.heard(endpoint);
    return this.signs ? info : { ...info, filter: undefined };
  }

  async #answer(endpoint: Endpoint, signed: boolean): Promise<Answer> {
    const outcome = await this.ask(endpoint, signed);
    if (outcome instanceof AttemptError) throw outcome.toThrow();
    return outcome;
  }

  async #parse(endpoint: Endpoint, answer: Answer): Promise<SwiftInfo> {
    const text = await answer.text(INFO_BYTES_MAX);
    const problem = (what: string): BackendError =>
      new BackendError('Unavailable', `${endpoint.name}/info: ${what}`);
    if (answer.status !== 200) throw problem(`status ${answer.status}`);
    try {
      return parseInfo(text);
    } catch {
      throw problem('not JSON');
    }
  }
}
