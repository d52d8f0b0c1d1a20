import type { Credential, CredentialSource } from './principal.js';

/** Credentials from a fixed list, such as the credentials file. */
export function rosterCredentials(roster: readonly Credential[]): CredentialSource {
  const byAccessKey = new Map(roster.map((credential) => [credential.accessKey, credential]));
  const accounts = [...new Set(roster.map(({ account }) => account))];
  return { find: (accessKey) => byAccessKey.get(accessKey), accounts };
}
