import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { IdentityUnavailable, type Keystone } from './keystone.js';
import type { ServiceTokens } from './service-token.js';

export interface IdentityHealth {
  /** False until the service has answered once: whatever fails later may work from the cache. */
  readonly ok: boolean;
  /** Whether it answered when it was asked last. */
  readonly answers: boolean;
  readonly detail: string;
}

const VERSION = z.object({ version: z.object({ id: z.string().startsWith('v3') }) });

const GOOD: IdentityHealth = { ok: true, answers: true, detail: 'answers' };
const NOBODY = { credentials: { access: 'ringway-probe', token: '', signature: '' } };
/** A listener begins to serve with its first report, and must not wait for others. */
const PATIENCE_MS = 1_000;
/** Every listener of every host looks, and each look costs Keystone some milliseconds of CPU. */
const GOOD_MS = 60_000;

/** Whether the service is there, is a Keystone, and knows the gateway's user. */
export class IdentityProbe {
  #hasAnswered = false;
  #goodUntil = -Infinity;
  /** The problem that the last failed look found. */
  #problem: string | undefined;
  #looking: Promise<IdentityHealth> | undefined;

  constructor(
    private readonly keystone: Keystone,
    private readonly tokens: ServiceTokens | undefined,
    /** Milliseconds that never go back. */
    private readonly now: () => number,
  ) {}

  /** Within {@link PATIENCE_MS}; what takes longer is told the next time. */
  async look(): Promise<IdentityHealth> {
    if (this.now() < this.#goodUntil) return GOOD;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return Promise.race([this.#looking, this.#isLate()]);
  }

  /** It failed a request: the next look asks, however recently it was well. */
  doubt(): void {
    this.#goodUntil = -Infinity;
  }

  async #isLate(): Promise<IdentityHealth> {
    await setTimeout(PATIENCE_MS, undefined, { ref: false });
    const detail = this.#problem ?? 'has not answered yet';
    return { ok: this.#hasAnswered, answers: false, detail };
  }

  async #look(): Promise<IdentityHealth> {
    try {
      const { status, json } = await this.keystone.send({
        purpose: 'probe',
        method: 'GET',
        path: '',
      });
      if (status !== 200 || !VERSION.safeParse(json).success) {
        throw new IdentityUnavailable('what answers at identity_url is no Keystone of version 3');
      }
      await this.#tryToAsk();
      this.#hasAnswered = true;
      this.#goodUntil = this.now() + GOOD_MS;
      this.#problem = undefined;
      return GOOD;
    } catch (error) {
      this.#problem = (error as Error).message;
      return { ok: this.#hasAnswered, answers: false, detail: this.#problem };
    }
  }

  /** Once: Keystone looks at who asks before it finds that there is no such access key. */
  async #tryToAsk(): Promise<void> {
    const token = await this.tokens?.get();
    if (this.#hasAnswered) return;
    const ask = { purpose: 'probe', method: 'POST', path: '/s3tokens', body: NOBODY } as const;
    const { status } = await this.keystone.send({ ...ask, token: token?.value });
    if (status === 404) {
      if (token !== undefined) this.tokens?.proven(token);
      return;
    }
    if (status === 401 && token !== undefined) this.tokens?.refused(token);
    throw new IdentityUnavailable(
      status === 401 && token === undefined
        ? 'it asks for a token: set identity_user'
        : `it answers ${status} to identity_user, who needs the role admin or service`,
    );
  }
}
