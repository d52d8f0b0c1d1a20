import { S3Error } from '../s3-error.js';
import { hasTakenEffect, holdsCommit } from './index-changes.js';
import { RECENT_COMMITS_MAX, type Commit, type VersionIndex } from './version-entry.js';

/** Nobody knows whether the commit will be carried out: what it refers to has to stay. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';

  constructor(override readonly cause: unknown) {
    super('it is not known whether a commit was carried out', { cause });
  }
}

/** An index remembers its latest commits; where it merges several at once, fewer generations. */
const SURE_GENERATIONS = RECENT_COMMITS_MAX / 2;

/**
 * Attempts of one writer that others may have carried out, until the index has told.
 *
 *     held, with effect     done
 *     held, without         merged by somebody who passed over what was decided too early: once more
 *     follows the index     still to be carried out: the same commit once more
 *     none of it            never will be
 */
export class Claims {
  #commits: Commit[] = [];

  /** @param shown - told of each */
  constructor(private readonly shown: (commit: Commit) => void) {}

  get isEmpty(): boolean {
    return this.#commits.length === 0;
  }

  add(commit: Commit): void {
    this.shown(commit);
    this.#commits = this.#commits.filter(({ id }) => id !== commit.id).concat(commit);
  }

  /** The commit that the index tells was carried out. */
  doneIn(index: VersionIndex): Commit | undefined {
    const held = this.#commits.filter(({ id }) => holdsCommit(index, id));
    this.#commits = this.#commits.filter((commit) => !held.includes(commit));
    return held.find((commit) => hasTakenEffect(index, commit));
  }

  pendingOn({ commit: parent }: VersionIndex): Commit | undefined {
    return this.#commits.find((commit) => commit.parent === parent);
  }

  /**
   * Gives up those that the index does not hold.
   * @throws InDoubtError when it has come too far to remember them
   */
  takeLost({ generation }: VersionIndex): readonly Commit[] {
    const lost = this.#commits;
    if (lost.some((commit) => generation - commit.generation >= SURE_GENERATIONS)) {
      throw new InDoubtError(new S3Error('ServiceUnavailable'));
    }
    this.#commits = [];
    return lost;
  }

  /** @throws InDoubtError for any failure while there is something that the index has not told yet */
  async during<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw this.isEmpty || error instanceof InDoubtError ? error : new InDoubtError(error);
    }
  }
}
