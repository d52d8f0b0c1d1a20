import { z } from 'zod';
import {
  IdentityUnavailable,
  type Keystone,
  type KeystoneAnswer,
  type KeystoneRequest,
} from './keystone.js';

/** The gateway's own user, who may ask about others. */
export interface ServiceUser {
  readonly name: string;
  readonly password: string;
  readonly project: string;
  /** The domain of the user and of the project. */
  readonly domain: string;
}

export interface ServiceToken {
  readonly value: string;
  readonly expiresAt: number;
  /** When the service took it last. */
  provenAt: number;
}

/** It ends before it would be refused. */
const MARGIN_MS = 60_000;
/** The lifetime where the answer gives none. */
const LIFETIME_MS = 600_000;
/**
 * A token that was taken a moment ago is not what a 401 is about. This bounds the logins that wrong
 * signatures cause: Keystone answers them as it answers a token that it does not know.
 */
const PROVEN_MS = 2_000;
/** The pause after a failed login, so that not every request tries again. */
const RETRY_MS = 1_000;

/** Logs the gateway's user in, once for many requests. */
export class ServiceTokens {
  #token: ServiceToken | undefined;
  #pending: Promise<ServiceToken> | undefined;
  #failure: { readonly error: Error; readonly until: number } | undefined;

  /** @param now - milliseconds that never go back */
  constructor(
    private readonly keystone: Keystone,
    private readonly user: ServiceUser,
    private readonly now: () => number,
  ) {}

  /** @throws IdentityUnavailable */
  get(): Promise<ServiceToken> {
    const now = this.now();
    if (this.#token !== undefined && this.#token.expiresAt > now) {
      return Promise.resolve(this.#token);
    }
    if (this.#failure !== undefined && this.#failure.until > now) {
      return Promise.reject(this.#failure.error);
    }
    this.#pending ??= this.#logIn().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /**
   * A request with this token was answered 401.
   * @returns true when another token is worth a try
   */
  refused(token: ServiceToken): boolean {
    if (this.#token !== token) return true;
    if (this.now() - token.provenAt < PROVEN_MS) return false;
    this.#token = undefined;
    return true;
  }

  /** A request with this token was answered as only a good one is. */
  proven(token: ServiceToken): void {
    token.provenAt = this.now();
  }

  /**
   * Asks with a token that is known to be good: a 401 is then about the request.
   * @throws IdentityUnavailable
   */
  async ask(request: KeystoneRequest): Promise<KeystoneAnswer> {
    const token = await this.get();
    const answer = await this.#send(request, token);
    if (answer.status !== 401 || !this.refused(token)) return answer;
    return this.#send(request, await this.get());
  }

  async #send(request: KeystoneRequest, token: ServiceToken): Promise<KeystoneAnswer> {
    const answer = await this.keystone.send({ ...request, token: token.value });
    if (answer.status === 200) this.proven(token);
    return answer;
  }

  async #logIn(): Promise<ServiceToken> {
    try {
      const now = this.now();
      const { value, lifeMs } = await issueToken(this.keystone, this.user);
      const marginMs = Math.min(MARGIN_MS, lifeMs / 10);
      this.#token = { value, expiresAt: now + lifeMs - marginMs, provenAt: this.now() };
      this.#failure = undefined;
      return this.#token;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#failure = { error: failure, until: this.now() + RETRY_MS };
      throw failure;
    }
  }
}

const ISSUED = z.object({ token: z.object({ expires_at: z.string() }) });

async function issueToken(
  keystone: Keystone,
  { name, password, project, domain }: ServiceUser,
): Promise<{ readonly value: string; readonly lifeMs: number }> {
  const { status, subjectToken, json } = await keystone.send({
    purpose: 'login',
    method: 'POST',
    path: '/auth/tokens?nocatalog',
    body: {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name, domain: { name: domain }, password } },
        },
        scope: { project: { name: project, domain: { name: domain } } },
      },
    },
  });
  if (status === 401 || status === 403) {
    throw new IdentityUnavailable(
      `it refused to log identity_user ${name} in (${status}): check its password, project and domain`,
    );
  }
  if (status !== 201 || subjectToken === undefined) {
    throw new IdentityUnavailable(`it answered a login with ${status}: check identity_url`);
  }
  const issued = ISSUED.safeParse(json);
  const expiresAt = issued.success ? Date.parse(issued.data.token.expires_at) : NaN;
  const lifeMs = Number.isNaN(expiresAt) ? LIFETIME_MS : Math.max(0, expiresAt - Date.now());
  return { value: subjectToken, lifeMs };
}
