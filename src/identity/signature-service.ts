import { z } from 'zod';
import {
  IdentityUnavailable,
  type Keystone,
  type KeystoneAnswer,
  type KeystoneRequest,
} from './keystone.js';
import type { ServiceTokens } from './service-token.js';
import { readUser, type IdentityMapping, type IdentityUser } from './user.js';

export interface Ec2Signature {
  readonly accessKey: string;
  readonly stringToSign: string;
  readonly signature: string;
}

/** `unknown`: there is no such access key; `wrong`: it is refused for whatever other reason. */
export type Answer = IdentityUser | 'unknown' | 'wrong';

export interface SignatureServiceDeps {
  readonly keystone: Keystone;
  /** Undefined: it asks without a token, and for no secret. */
  readonly tokens: ServiceTokens | undefined;
  readonly mapping: IdentityMapping;
  /** Called when the gateway's user may not read secrets. */
  readonly onSecretsRefused: () => void;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/** A role that is missing is not asked about with every request. */
const SECRETS_REFUSED_MS = 60_000;

/**
 * Keystone's EC2 credentials: `POST /v3/s3tokens` verifies a signature, `GET
 * /v3/users/{user}/credentials/OS-EC2/{access}` gives the secret to users with the right to read
 * it.
 */
export class SignatureService {
  readonly #parts: SignatureServiceDeps;
  #secretsRefusedAt = -Infinity;

  constructor(deps: SignatureServiceDeps) {
    this.#parts = deps;
  }

  /** Whether it can be asked for secrets. */
  get givesSecrets(): boolean {
    const { tokens, now } = this.#parts;
    return tokens !== undefined && now() - this.#secretsRefusedAt > SECRETS_REFUSED_MS;
  }

  /** @throws IdentityUnavailable */
  async verify({ accessKey, stringToSign, signature }: Ec2Signature): Promise<Answer> {
    const token = urlSafeBase64(stringToSign);
    const { status, json } = await this.#ask({
      purpose: 'verify',
      method: 'POST',
      path: '/s3tokens',
      body: { credentials: { access: accessKey, token, signature } },
    });
    if (status === 401) return 'wrong';
    if (status === 404 && isErrorDocument(json)) return 'unknown';
    if (status !== 200) throw unexpected(status);
    const user = readUser(json, accessKey, this.#parts.mapping);
    if (user !== undefined) return user;
    throw new IdentityUnavailable('it answered with something else than the token of a project');
  }

  /**
   * @returns undefined when it is not given
   * @throws IdentityUnavailable
   */
  async secretOf({ userId, principal }: IdentityUser): Promise<string | undefined> {
    if (!this.givesSecrets) return undefined;
    const access = encodeURIComponent(principal.accessKey);
    const path = `/users/${userId}/credentials/OS-EC2/${access}`;
    const { status, json } = await this.#ask({ purpose: 'secret', method: 'GET', path });
    if (status === 403) {
      this.#secretsRefusedAt = this.#parts.now();
      this.#parts.onSecretsRefused();
    }
    if (status === 401 || status === 403 || status === 404) return undefined;
    const secret = SECRET.safeParse(json);
    if (status !== 200 || !secret.success) throw unexpected(status);
    return secret.data.credential.secret;
  }

  #ask(request: KeystoneRequest): Promise<KeystoneAnswer> {
    const { keystone, tokens } = this.#parts;
    return tokens === undefined ? keystone.send(request) : tokens.ask(request);
  }
}

const SECRET = z.object({ credential: z.object({ secret: z.string().min(1) }) });
const ERROR = z.object({ error: z.object({ code: z.literal(404) }) });

/** Keystone's own 404, and not that of whatever else answers there. */
function isErrorDocument(json: unknown): boolean {
  return ERROR.safeParse(json).success;
}

function unexpected(status: number): IdentityUnavailable {
  const hint = status === 403 ? ': identity_user needs the role admin or service' : '';
  return new IdentityUnavailable(`it answered with ${status}${hint}`);
}

/** Base64 for URLs, with its padding, which Python requires. */
function urlSafeBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
