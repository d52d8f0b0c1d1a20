import type { Roster, RosterEntry } from '../../config/credentials.js';

/** A user who may log in, as Swift's tempauth knows users: by their groups. */
export interface User {
  /** `account:user` */
  readonly name: string;
  readonly key: string;
  /** The store's account that is theirs, e.g. `AUTH_main`. */
  readonly account: string;
  /** Names that ACLs may have for them: the account's, their own, and, of an owner, the account. */
  readonly groups: ReadonlySet<string>;
  /** May do everything in every account (tempauth's `.reseller_admin`). */
  readonly isService: boolean;
  /** The id that names the user in a token. */
  readonly id: string;
}

/** A user that gateways log in as. */
export interface ServiceUser {
  readonly user: string;
  readonly key: string;
}

/** The prefix that Swift gives the names of accounts. */
const RESELLER_PREFIX = 'AUTH_';

export class Users {
  readonly #byId = new Map<string, User>();
  readonly #byName = new Map<string, User[]>();

  constructor(roster: Roster, services: readonly ServiceUser[] = []) {
    for (const entry of roster) this.#add(rosterUser(entry));
    for (const service of services) this.#add(serviceUser(service));
  }

  /** Finds a user by the id in a token. */
  byId(id: string): User | undefined {
    return this.#byId.get(id);
  }

  /** All whom a name or an access key may mean: several access keys may be one user's. */
  named(name: string): readonly User[] {
    const own = this.#byId.get(name);
    return own === undefined ? (this.#byName.get(name) ?? []) : [own];
  }

  #add(user: User): void {
    this.#byId.set(user.id, user);
    const same = this.#byName.get(user.name);
    if (same === undefined) this.#byName.set(user.name, [user]);
    else same.push(user);
  }
}

function rosterUser({ accessKey, secretKey, account, role, user }: RosterEntry): User {
  const accountName = account.startsWith(RESELLER_PREFIX)
    ? account.slice(RESELLER_PREFIX.length)
    : account;
  // Named as the S3 side's ACLs name it.
  const name = user ?? `${accountName}:${accessKey}`;
  const groups = new Set([name.slice(0, name.indexOf(':')), name]);
  if (role === 'owner') groups.add(account);
  return { id: accessKey, name, key: secretKey, account, groups, isService: false };
}

function serviceUser({ user, key }: ServiceUser): User {
  const accountName = user.slice(0, user.indexOf(':'));
  const account = RESELLER_PREFIX + accountName;
  const groups = new Set([accountName, user, account]);
  return { id: user, name: user, key, account, groups, isService: true };
}
