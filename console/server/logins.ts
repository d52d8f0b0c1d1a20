import { z } from 'zod';
import { loginName, type RosterEntry } from '../config/keys.js';
import { CredentialsRefusedError } from '../swift/errors.js';
import { swiftLogin, type SwiftToken } from '../swift/login.js';
import type { Upstream } from '../swift/upstream.js';
import type { Accounts } from './accounts.js';
import { parse } from './parse.js';
import type { SessionKeys } from './sessions.js';

/** A user who has logged in. */
export interface Entry {
  readonly user: RosterEntry;
  readonly token: SwiftToken;
  /** The keys by which S3 may know the user: tried in order. */
  readonly s3: SessionKeys | undefined;
}

/** The credentials that a user typed in; they stay in the memory of the console. */
export interface Attempt {
  /** The user whom it names, for limits and records: no secret. */
  readonly name: string;
  /**
   * Asks the login, whenever it is called: also when the store has forgotten a token.
   * @throws CredentialsRefusedError, in the same way whatever is wrong; UpstreamError;
   *   SwiftStatusError
   */
  enter(): Promise<Entry>;
}

/** The login that the configuration names. */
export interface Logins {
  /** @throws ApiError when the body is not what its page sends */
  attempt(body: unknown): Attempt;
  close(): Promise<void>;
}

const KEY = z.string().min(1).max(1024);

const BY_ACCESS_KEY = z.strictObject({
  method: z.literal('access_key'),
  access_key: z.string().min(1).max(257),
  secret_key: KEY,
});

const BY_USER = z.strictObject({
  method: z.literal('user').default('user'),
  account: z.string().max(128).default(''),
  user: z.string().min(1).max(128),
  key: KEY,
});

/** `GET /auth/v1.0`, with the roles of the configuration. */
export class StoreLogins implements Logins {
  constructor(
    private readonly auth: Upstream,
    private readonly accounts: Accounts,
  ) {}

  attempt(body: unknown): Attempt {
    const { name, key } = this.#given(body);
    return {
      name,
      enter: async () => {
        // It is asked in every case, so that neither the answer nor its time shows whether a user is
        // in the roster.
        const token = await swiftLogin(this.auth, name, key);
        const user = this.accounts.find(name);
        if (user === undefined) throw new CredentialsRefusedError();
        const accessKeys = user.access_keys ?? [loginName(user)];
        return { user, token, s3: { accessKeys, secretKey: key } };
      },
    };
  }

  #given(body: unknown): { readonly name: string; readonly key: string } {
    if ((body as { method?: unknown } | null)?.method === 'access_key') {
      const { access_key: accessKey, secret_key: key } = parse(BY_ACCESS_KEY, body);
      return { name: this.accounts.nameOf(accessKey), key };
    }
    const given = parse(BY_USER, body);
    return { name: loginName(given), key: given.key };
  }

  close(): Promise<void> {
    this.auth.close();
    return Promise.resolve();
  }
}
