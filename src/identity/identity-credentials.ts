import { hash } from 'node:crypto';
import type {
  Credential,
  CredentialSource,
  SignatureToVerify,
  Verdict,
} from '../s3/auth/principal.js';
import { IdentityUnavailable } from './keystone.js';
import { KnownUsers, type KnownUser, type StaleUsers } from './known-users.js';
import { BoundedCache } from '../lib/bounded-cache.js';
import type { Answer, SignatureService } from './signature-service.js';
import type { IdentityUser } from './user.js';

export interface IdentityCredentialsOptions {
  /** Known beforehand. */
  readonly accounts?: readonly string[] | undefined;
  readonly service: SignatureService;
  /** How long a secret that was given is gone by. */
  readonly cacheMs: number;
  /** How much longer, while the service cannot be asked. */
  readonly staleMs: number;
  /** Called with each request: how its user was found. */
  readonly onLookup: (source: LookupSource) => void;
  /** Called when the service begins to fail, and when it recovers; the text has no secrets. */
  readonly onHealth: (problem: string | undefined) => void;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/**
 * Where the user of a request was found: in the `cache`, at the `service`, in the cache although the
 * time was over (`stale`), or nowhere, for the service cannot be asked (`none`).
 */
export type LookupSource = 'cache' | 'service' | 'stale' | 'none';

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

const WRONG: Verdict = { outcome: 'wrong' };
const UNKNOWN: Verdict = { outcome: 'unknown' };
const UNAVAILABLE: Verdict = { outcome: 'unavailable' };

/**
 * Credentials of an identity service (EC2 credentials), which verifies a key's first signature. It
 * also gives the secret to the gateway's own user, so that later signatures are verified here for a
 * while, and for longer while the service cannot be asked. Without it the service is asked each time.
 */
export class IdentityCredentials implements CredentialSource {
  readonly #users: KnownUsers;
  readonly #refusals: BoundedCache<Verdict>;
  /** First requests with a key: what the first of them learns serves the others. */
  readonly #flights = new Map<string, Promise<Verdict>>();
  #isHealthy = true;
  #toldAt = -Infinity;

  constructor(private readonly options: IdentityCredentialsOptions) {
    const { now } = options;
    this.#users = new KnownUsers(options);
    this.#refusals = new BoundedCache({ weightMax: REFUSALS_MAX, lifeMs: REFUSAL_MS, now });
  }

  /**
   * The accounts that are named, and those of keys used lately: the service has no list of them.
   */
  get accounts(): readonly string[] {
    const used = [...this.#users.values()].map(({ account }) => account);
    return [...new Set([...(this.options.accounts ?? []), ...used])];
  }

  /** How many users are known; those whose time is over may be among them. */
  get size(): number {
    return this.#users.size;
  }

  /** The users that go on while the service cannot be asked. */
  get stale(): StaleUsers {
    return this.#users.stale;
  }

  find(accessKey: string): Credential | undefined {
    const known = this.#users.usable(accessKey);
    if (known === undefined) return undefined;
    this.options.onLookup(known.isStale ? 'stale' : 'cache');
    return known.user;
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
    const first = flight === undefined ? undefined : await flight;
    const known = this.#knownBy(claim);
    if (known !== undefined) return known;
    // Those behind the first one cannot find out more than it did.
    if (first === UNAVAILABLE) return this.#counted(UNAVAILABLE);
    const stale = this.#staleFor(claim);
    if (stale !== undefined && this.#users.beginRetry()) {
      // The user need not wait for a service that may not answer this time either.
      this.#askOnce(claim, strings, flight === undefined).catch(() => {
        this.#users.failed();
      });
      return this.#serve(stale, true);
    }
    const verdict = await this.#askOnce(claim, strings, flight === undefined);
    if (verdict === UNAVAILABLE && stale !== undefined) return this.#serve(stale, true);
    if (verdict === WRONG || verdict === UNKNOWN) this.#refusals.set(refusalKey, verdict);
    return this.#counted(verdict);
  }

  /** Another request may have learned the secret meanwhile. */
  #knownBy({ accessKey, refuted }: SignatureToVerify): Verdict | undefined {
    const known = this.#users.usable(accessKey);
    if (known === undefined) return undefined;
    const { user, isStale } = known;
    if (user.secretKey !== refuted?.secretKey) return this.#serve(user, isStale);
    return this.options.now() - user.askedAt < RECHECK_MS ? WRONG : undefined;
  }

  /** A user whose time is over; undefined when it is another secret that was signed with. */
  #staleFor({ accessKey, refuted }: SignatureToVerify): KnownUser | undefined {
    const known = this.#users.get(accessKey);
    return known?.secretKey === refuted?.secretKey ? undefined : known;
  }

  #serve(credential: KnownUser, isStale: boolean): Verdict {
    this.options.onLookup(isStale ? 'stale' : 'cache');
    return { outcome: 'secret', credential };
  }

  #counted(verdict: Verdict): Verdict {
    this.options.onLookup(verdict === UNAVAILABLE ? 'none' : 'service');
    return verdict;
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

  #refuse(claim: SignatureToVerify, answer: 'unknown' | 'wrong'): Verdict {
    const { accessKey } = claim;
    if (answer === 'unknown') {
      this.#users.forget(accessKey);
      return UNKNOWN;
    }
    // The service answers the same to a guess and for a user who is disabled. The latter must not be
    // let in again by the next outage; the user of the former is known again with the next request.
    const user = this.#staleFor(claim);
    if (user !== undefined && this.#users.isOver(user)) {
      this.#users.forget(accessKey);
      return WRONG;
    }
    // A client that guesses secrets must not keep a user in the cache whom the service would refuse
    // by now.
    this.#users.asked(accessKey);
    return WRONG;
  }

  async #learn(user: IdentityUser, needsSecret: boolean): Promise<Verdict> {
    const { principal } = user;
    const isUseful = needsSecret || this.options.cacheMs > 0;
    const secretKey = isUseful ? await this.#secretOf(user, needsSecret) : undefined;
    if (secretKey === undefined) return { outcome: 'genuine', principal };
    return { outcome: 'secret', credential: this.#users.learn({ ...principal, secretKey }) };
  }

  /** A secret that cannot be had now is missed by signed chunks only. */
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
    this.#users.answered();
    if (this.#isHealthy) return;
    this.#isHealthy = true;
    this.options.onHealth(undefined);
  }

  #unhealthy({ message }: IdentityUnavailable): void {
    this.#users.failed();
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
