import { hash } from 'node:crypto';
import type {
  Credential,
  CredentialSource,
  SignatureToVerify,
  Verdict,
} from '../s3/auth/principal.js';
import { IdentityUnavailable } from './keystone.js';
import { BoundedCache } from '../lib/bounded-cache.js';
import type { Answer, SignatureService } from './signature-service.js';
import type { IdentityUser } from './user.js';

export interface IdentityCredentialsOptions {
  /** Known beforehand. */
  readonly accounts?: readonly string[] | undefined;
  readonly service: SignatureService;
  /** How long a secret that was given is gone by. */
  readonly cacheMs: number;
  /** Called when the service begins to fail, and when it recovers; the text has no secrets. */
  readonly onHealth: (problem: string | undefined) => void;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/** Some 400 bytes each. */
const USERS_MAX = 10_000;
const REFUSALS_MAX = 1_000;
/** Clients repeat a refused request at once, and several times. */
const REFUSAL_MS = 2_000;
/** Wrong signatures for a key whose secret is known: whether it was changed is asked this often. */
const RECHECK_MS = 5_000;
/** A request may have been signed in several forms; each of them costs a question. */
const FORMS_MAX = 4;
/** A service that fails now and then is reported this often. */
const TELL_MS = 10_000;
/** Parts of paths and documents; Keystone's own are 32 hex digits. */
const ACCESS_KEY = /^[\x21-\x2e\x30-\x7e]{1,128}$/;

/** A signature of either version. */
const SIGNATURE = /^[A-Za-z0-9+/=]{1,128}$/;

interface KnownUser extends Credential {
  /** When the service was asked about it last. */
  readonly askedAt: number;
}

const WRONG: Verdict = { outcome: 'wrong' };
const UNKNOWN: Verdict = { outcome: 'unknown' };
const UNAVAILABLE: Verdict = { outcome: 'unavailable' };

/**
 * Credentials of an identity service (EC2 credentials), which verifies a key's first signature. It
 * also gives the secret to the gateway's own user, so that later signatures are verified here for a
 * while. Without it the service is asked each time.
 */
export class IdentityCredentials implements CredentialSource {
  readonly #users: BoundedCache<KnownUser>;
  readonly #refusals: BoundedCache<Verdict>;
  /** First requests with a key: what the first of them learns serves the others. */
  readonly #flights = new Map<string, Promise<Verdict>>();
  #isHealthy = true;
  #toldAt = -Infinity;

  constructor(private readonly options: IdentityCredentialsOptions) {
    const { cacheMs, now } = options;
    this.#users = new BoundedCache({ weightMax: USERS_MAX, lifeMs: cacheMs, now });
    this.#refusals = new BoundedCache({ weightMax: REFUSALS_MAX, lifeMs: REFUSAL_MS, now });
  }

  /**
   * The accounts that are named, and those of keys used lately: the service has no list of them.
   */
  get accounts(): readonly string[] {
    const used = [...this.#users.values()].map(({ account }) => account);
    return [...new Set([...(this.options.accounts ?? []), ...used])];
  }

  find(accessKey: string): Credential | undefined {
    return this.#users.get(accessKey);
  }

  async verify(claim: SignatureToVerify): Promise<Verdict> {
    const { accessKey, signature } = claim;
    const strings = take(claim.stringsToSign, FORMS_MAX);
    if (!ACCESS_KEY.test(accessKey)) return UNKNOWN;
    if (!SIGNATURE.test(signature)) return WRONG;
    const refusalKey = hash('sha256', JSON.stringify([accessKey, signature, ...strings]));
    const refusal = this.#refusals.get(refusalKey);
    if (refusal !== undefined) return refusal;
    const flight = this.#flights.get(accessKey);
    // What the first one cannot find out, those behind it cannot either.
    if (flight !== undefined && (await flight) === UNAVAILABLE) return UNAVAILABLE;
    const known = this.#knownBy(claim);
    if (known !== undefined) return known;
    const verdict = await this.#askOnce(claim, strings, flight === undefined);
    if (verdict === WRONG || verdict === UNKNOWN) this.#refusals.set(refusalKey, verdict);
    return verdict;
  }

  /** Another request may have learned the secret meanwhile. */
  #knownBy({ accessKey, refuted }: SignatureToVerify): Verdict | undefined {
    const known = this.#users.get(accessKey);
    if (known === undefined) return undefined;
    if (known.secretKey !== refuted?.secretKey) return { outcome: 'secret', credential: known };
    return this.options.now() - known.askedAt < RECHECK_MS ? WRONG : undefined;
  }

  /** @param leads - others with the same key wait for it */
  #askOnce(claim: SignatureToVerify, strings: readonly string[], leads: boolean): Promise<Verdict> {
    const asking = this.#ask(claim, strings);
    if (!leads || !this.options.service.givesSecrets) return asking;
    const { accessKey } = claim;
    this.#flights.set(accessKey, asking);
    return asking.finally(() => this.#flights.delete(accessKey));
  }

  async #ask(claim: SignatureToVerify, strings: readonly string[]): Promise<Verdict> {
    try {
      const answer = await this.#firstAccepted(claim, strings);
      if (typeof answer === 'string') return this.#refuse(claim, answer);
      return await this.#learn(answer, claim.needsSecret);
    } catch (error) {
      if (!(error instanceof IdentityUnavailable)) throw error;
      this.#unhealthy(error);
      return UNAVAILABLE;
    }
  }

  async #firstAccepted(
    { accessKey, signature }: SignatureToVerify,
    strings: readonly string[],
  ): Promise<Answer> {
    const { service } = this.options;
    let answer: Answer = 'wrong';
    for (const stringToSign of strings) {
      answer = await service.verify({ accessKey, stringToSign, signature });
      if (answer !== 'wrong') break;
    }
    this.#healthy();
    return answer;
  }

  #refuse({ accessKey }: SignatureToVerify, answer: 'unknown' | 'wrong'): Verdict {
    const known = this.#users.get(accessKey);
    if (answer === 'unknown') {
      this.#users.delete(accessKey);
      return UNKNOWN;
    }
    // A client that guesses secrets must not keep a user in the cache whom the service would refuse
    // by now.
    if (known !== undefined)
      this.#users.replace(accessKey, { ...known, askedAt: this.options.now() });
    return WRONG;
  }

  async #learn(user: IdentityUser, needsSecret: boolean): Promise<Verdict> {
    const { principal } = user;
    const isUseful = needsSecret || this.options.cacheMs > 0;
    const secretKey = isUseful ? await this.#secretOf(user, needsSecret) : undefined;
    if (secretKey === undefined) return { outcome: 'genuine', principal };
    const credential: KnownUser = { ...principal, secretKey, askedAt: this.options.now() };
    this.#users.set(principal.accessKey, credential);
    return { outcome: 'secret', credential };
  }

  /** What cannot be had now is missed by signed chunks only. */
  async #secretOf(user: IdentityUser, needed: boolean): Promise<string | undefined> {
    try {
      return await this.options.service.secretOf(user);
    } catch (error) {
      if (needed || !(error instanceof IdentityUnavailable)) throw error;
      this.#unhealthy(error);
      return undefined;
    }
  }

  #healthy(): void {
    if (this.#isHealthy) return;
    this.#isHealthy = true;
    this.options.onHealth(undefined);
  }

  #unhealthy({ message }: IdentityUnavailable): void {
    const now = this.options.now();
    if (!this.#isHealthy || now - this.#toldAt < TELL_MS) return;
    this.#isHealthy = false;
    this.#toldAt = now;
    this.options.onHealth(message);
  }
}

function take<Item>(items: Iterable<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
