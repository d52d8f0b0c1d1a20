import { z } from 'zod';
import { loginName, type RosterEntry } from '../config/keys.js';
import { CredentialsRefusedError } from '../swift/errors.js';
import { swiftLogin, type SwiftToken } from '../swift/login.js';
import type { Upstream } from '../swift/upstream.js';
import type { Accounts } from './accounts.js';
import { parse } from './parse.js';

/** A user who has logged in. */
export interface Entry {
  readonly user: RosterEntry;
  readonly token: SwiftToken;
  /** What S3 may know the user by: access keys with the same secret, tried in order. */
  readonly s3: { readonly accessKeys: readonly string[]; readonly secretKey: string } | undefined;
}

/** What a user typed in; it stays in the memory of the console. */
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

const CREDENTIALS = z.strictObject({
  account: z.string().max(128).default(''),
  user: z.string().min(1).max(128),
  key: z.string().min(1).max(1024),
});

/** `GET /auth/v1.0`, with the roles of the configuration. */
export class StoreLogins implements Logins {
  constructor(
    private readonly auth: Upstream,
    private readonly accounts: Accounts,
  ) {}

  attempt(body: unknown): Attempt {
    const given = parse(CREDENTIALS, body);
    const name = loginName(given);
    const { key } = given;
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

  close(): Promise<void> {
    this.auth.close();
    return Promise.resolve();
  }
}
