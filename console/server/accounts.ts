import { loginName, type RosterEntry } from '../config/keys.js';

/**
 * The console's users and their roles; replaced while it runs when they follow from credentials.
 */
export class Accounts {
  #byName: ReadonlyMap<string, RosterEntry>;

  constructor(entries: readonly RosterEntry[]) {
    this.#byName = byName(entries);
  }

  /** @param name as the store's login takes it */
  find(name: string): RosterEntry | undefined {
    return this.#byName.get(name);
  }

  /**
   * @param accessKey of S3
   * @returns the user's name as the store's login takes it; the key itself where no user has it
   */
  nameOf(accessKey: string): string {
    if (this.#byName.has(accessKey)) return accessKey;
    const entry = this.list().find(({ access_keys: keys }) => keys?.includes(accessKey));
    return entry === undefined ? accessKey : loginName(entry);
  }

  /** All users, by their names. */
  list(): RosterEntry[] {
    return [...this.#byName.values()];
  }

  replace(entries: readonly RosterEntry[]): void {
    this.#byName = byName(entries);
  }
}

function byName(entries: readonly RosterEntry[]): ReadonlyMap<string, RosterEntry> {
  return new Map(entries.map((entry) => [loginName(entry), entry]));
}
