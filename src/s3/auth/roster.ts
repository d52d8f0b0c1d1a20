import type { Credential, CredentialSource } from './principal.js';

/** Credentials from a list, such as the credentials file, that may be replaced by another. */
export class RosterCredentials implements CredentialSource {
  #byAccessKey: ReadonlyMap<string, Credential> = new Map();
  #accounts: readonly string[] = [];

  constructor(roster: readonly Credential[]) {
    this.replace(roster);
  }

  replace(roster: readonly Credential[]): void {
    this.#byAccessKey = new Map(roster.map((credential) => [credential.accessKey, credential]));
    this.#accounts = [...new Set(roster.map(({ account }) => account))];
  }

  get accounts(): readonly string[] {
    return this.#accounts;
  }

  find(accessKey: string): Credential | undefined {
    return this.#byAccessKey.get(accessKey);
  }
}
