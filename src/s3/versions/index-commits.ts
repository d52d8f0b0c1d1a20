import type { CallContext, WriteClass } from '../../backend/backend.js';
import { S3Error } from '../s3-error.js';
import { isCode } from './backend-codes.js';
import { Claims, InDoubtError } from './claims.js';
import type { CommitProtocol } from './fenced-protocol.js';
import { applyCommit } from './index-changes.js';
import { prepareIndex, type IndexStore, type StoredIndex } from './index-store.js';
import type { VersionedKey } from './names.js';
import type { Pause } from './pause.js';
import { requireVersionSupport } from './support.js';
import type { Commit, VersionChange, VersionIndex } from './version-entry.js';
import type { VersionIds } from './version-ids.js';

/**
 * Decides on an index what is to change. Called again, with a newer one, whenever somebody else was
 * faster.
 * @returns undefined for nothing; what it throws is the end of it
 */
export type Plan = (
  index: VersionIndex,
) => Promise<VersionChange | undefined> | VersionChange | undefined;

export interface Committed {
  /** With the change in it, and perhaps with others that came later. */
  readonly stored: StoredIndex;
  /** Undefined when the plan came to nothing. */
  readonly commit: Commit | undefined;
}

export interface CommitOptions {
  /** Told of each attempt that others have seen, and may still come back to. */
  readonly shown?: ((commit: Commit) => void) | undefined;
  /** Of what is written; `deletion` also in a full store. Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

export interface IndexCommitsOptions {
  readonly store: IndexStore;
  readonly protocol: CommitProtocol;
  readonly ids: VersionIds;
  /** Creates the archive of the key. @throws BackendError NoSuchContainer without the bucket */
  readonly createArchive: (call: CallContext, of: VersionedKey) => Promise<void>;
  readonly pause: Pause;
  /** Told how each attempt ended. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
}

/** `in-doubt`: the store failed, and nobody knows. */
export type AttemptOutcome = 'committed' | 'lost' | 'overtaken' | 'in-doubt';

/** Each lost race is somebody else's commit: a queue of about so many writers of one key. */
const ATTEMPTS_MAX = 100;

/** Commits changes of version indexes, each on exactly the index that it was decided on. */
export class IndexCommits {
  constructor(private readonly options: IndexCommitsOptions) {}

  /** The newest index. @throws S3Error `InternalError`, `ServiceUnavailable`; BackendError */
  read(call: CallContext, of: VersionedKey): Promise<StoredIndex> {
    return this.options.protocol.read(call, of);
  }

  /**
   * @throws InDoubtError; anything else means that nothing was changed: what the plan throws,
   *   S3Error `InvalidRequest` for an index that gets too large, `ServiceUnavailable` when others
   *   keep being faster, `NotImplemented` where the store cannot keep versions, BackendError
   */
  async commit(
    call: CallContext,
    of: VersionedKey,
    plan: Plan,
    { shown = ignore, writeClass = 'ordinary' }: CommitOptions = {},
  ): Promise<Committed> {
    const { pause, store } = this.options;
    requireVersionSupport(store.backend.capabilities);
    const claims = new Claims(shown);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      if (attempt > 1) await claims.during(() => pause(attempt));
      const before = await claims.during(() => this.read(call, of));
      const done = claims.doneIn(before.index);
      if (done !== undefined) return { stored: before, commit: done };
      const commit = claims.pendingOn(before.index) ?? (await this.#decide(before, plan, claims));
      if (commit === undefined) return { stored: before, commit };
      const stored = await this.#attempt(call, of, before, commit, { claims, writeClass });
      if (stored !== undefined) return { stored, commit };
    }
    const tooBusy = new S3Error('ServiceUnavailable');
    throw claims.isEmpty ? tooBusy : new InDoubtError(tooBusy);
  }

  /**
   * Whether the change would find room in the index as it is. It decides nothing.
   * @throws S3Error `InvalidRequest`; as read
   */
  async requireRoom(call: CallContext, of: VersionedKey, change: VersionChange): Promise<void> {
    const before = await this.read(call, of);
    const { generation, commit: parent } = before.index;
    const commit = { generation: generation + 1, id: this.options.ids.mint(), parent, change };
    this.options.store.requireFits(prepareIndex(applyCommit(before.index, commit)), before);
  }

  async #decide({ index }: StoredIndex, plan: Plan, claims: Claims): Promise<Commit | undefined> {
    claims.giveUpLost(index);
    const change = await plan(index);
    if (change === undefined) return undefined;
    const id = this.options.ids.mint();
    return { generation: index.generation + 1, id, parent: index.commit, change };
  }

  /** @returns the index when the commit was carried out; otherwise it is tried again */
  async #attempt(
    call: CallContext,
    of: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    { claims, writeClass }: { readonly claims: Claims; readonly writeClass: WriteClass },
  ): Promise<StoredIndex | undefined> {
    const { store, protocol, createArchive, onAttempt = ignore } = this.options;
    const next = prepareIndex(applyCommit(before.index, commit));
    if (claims.isEmpty) store.requireFits(next, before);
    // What others may have seen is ended, also in a store that has run full meanwhile.
    const effective = claims.isEmpty ? writeClass : 'deletion';
    try {
      const attempt = await protocol.attempt(call, of, before, commit, next, effective);
      onAttempt(attempt.outcome);
      if (attempt.outcome === 'committed') return attempt.stored;
      if (attempt.outcome === 'overtaken') claims.add(attempt.commit);
      return undefined;
    } catch (error) {
      if (!isCode(error, 'NoSuchContainer')) {
        onAttempt('in-doubt');
        throw new InDoubtError(error);
      }
    }
    claims.add(commit);
    await claims.during(() => createArchive(call, of));
    return undefined;
  }
}

function ignore(): void {
  // Nobody counts.
}
