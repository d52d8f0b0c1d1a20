import { isDeepStrictEqual } from 'node:util';
import type { ConfFile } from './conf-file.js';

/** The difference of a node from the first one; names alone, since values are secrets. */
export interface Difference {
  readonly node: string;
  /** `account:user` of those that are other users there, or none. */
  readonly users: readonly string[];
  /** Options of the section besides. */
  readonly settings: readonly string[];
}

/** @returns empty when all nodes know the same users with the same keys and groups */
export function differences(
  files: readonly { readonly node: string; readonly conf: ConfFile }[],
): Difference[] {
  const [first, ...others] = files;
  if (first === undefined) return [];
  const expectedUsers = usersOf(first.conf);
  return others
    .map(({ node, conf }) => ({
      node,
      users: different(expectedUsers, usersOf(conf)),
      settings: different(first.conf.settings, conf.settings),
    }))
    .filter(({ users, settings }) => users.length + settings.length > 0);
}

function usersOf({ users }: ConfFile): ReadonlyMap<string, unknown> {
  return new Map(
    users.map(({ account, user, key, groups, storageUrl }) => [
      `${account}:${user}`,
      [key, groups, storageUrl],
    ]),
  );
}

function different(
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
): readonly string[] {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(a.get(name), b.get(name))).sort();
}
