import type { Backend } from '../../backend/backend.js';
import type { Adoption, Archives } from './archives.js';
import type { CurrentLink } from './current-link.js';
import type { PlainSightings } from './current-state.js';
import type { IndexCommits } from './index-commits.js';
import type { IndexStore } from './index-store.js';
import type { KeyQueues } from './key-queues.js';
import type { NewKeyGuesses } from './new-key-guesses.js';
import type { VersionIds } from './version-entry.js';

/** The parts that the operations on versions are made of. */
export interface VersionDeps {
  readonly backend: Backend;
  readonly store: IndexStore;
  readonly commits: IndexCommits;
  readonly link: CurrentLink;
  readonly adoption: Adoption;
  readonly archives: Archives;
  readonly ids: VersionIds;
  readonly queues: KeyQueues;
  readonly plainSightings: PlainSightings;
  readonly guesses: NewKeyGuesses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * The age at which another request may finish what a stopped writer has left: see unfinished.ts.
   */
  readonly unfinishedMs: number;
}
