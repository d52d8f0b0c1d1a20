import { S3Error } from '../s3-error.js';
import { holdsCommit } from './index-changes.js';
import { RECENT_COMMITS_MAX, type Commit, type VersionIndex } from './version-entry.js';

/** Nobody knows whether the commit will be carried out: what it refers to has to stay. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';

  constructor(override readonly cause: unknown) {
    super('it is not known whether a commit was carried out', { cause });
  }
}

/**
 * Attempts of one writer that others may have carried out, until the index has told.
 *
 *     held by the index     done
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
    return this.#commits.find(({ id }) => holdsCommit(index, id));
  }

  pendingOn({ commit: parent }: VersionIndex): Commit | undefined {
    return this.#commits.find((commit) => commit.parent === parent);
  }

  /**
   * Gives up those that the index does not hold.
   * @throws InDoubtError when it has come too far to remember them
   */
  giveUpLost({ generation }: VersionIndex): void {
    if (this.#commits.some((commit) => generation - commit.generation > RECENT_COMMITS_MAX)) {
      throw new InDoubtError(new S3Error('ServiceUnavailable'));
    }
    this.#commits = [];
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
