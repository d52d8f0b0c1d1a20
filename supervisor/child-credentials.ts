import type { Roster } from '../src/config/credentials.js';
import { CHILD_KINDS, type ChildKind } from './kinds.js';

/** The credentials in force, as each kind of process is told them. */
export class ChildCredentials {
  readonly #names: Roster;

  constructor(private readonly whole: Roster) {
    this.#names = whole.map((entry) => ({ ...entry, secretKey: '' }));
  }

  /** The same object each time: a child is told only what has changed. */
  for(kind: ChildKind): Roster {
    return CHILD_KINDS[kind].knowsSecrets ? this.whole : this.#names;
  }
}
