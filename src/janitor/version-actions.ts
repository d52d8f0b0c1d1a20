import type { Backend, CallContext, ObjectHead } from '../backend/backend.js';
import { BackendError } from '../backend/errors.js';
import type { ClockState } from '../clock/reading.js';
import { mapLimited } from '../lib/promises.js';
import { SYSTEM_METADATA } from '../s3/object/attributes.js';
import { decideDeletion } from '../s3/rules/object-lock/decision.js';
import { storedLegalHold, storedRetention } from '../s3/rules/object-lock/stored.js';
import { S3Error } from '../s3/errors.js';
import type { Upload } from '../s3/segments/names.js';
import { archiveContainer, type VersionedKey } from '../s3/versions/names.js';
import type { RemovedVersion } from '../s3/versions/commit-written.js';
import type { VersionEntry } from '../s3/versions/version-entry.js';
import type { VersionedKeys } from '../s3/versions/versioned-keys.js';
import type {
  ActionOutcome,
  TransitionAction,
  ExpireCurrentAction,
  ExpireVersionAction,
  SweepVersionsAction,
  VersionAction,
  VersionBatch,
} from './actions.js';
import { CONCURRENCY } from './pass-context.js';

/** The outcome, and the uploads whose parts may be garbage now. */
export interface VersionResult {
  readonly outcome: ActionOutcome;
  readonly uploads: readonly Upload[];
}

export interface BatchResult {
  readonly outcomes: readonly {
    readonly action: ExpireVersionAction;
    readonly outcome: ActionOutcome;
    readonly error?: unknown;
  }[];
  readonly uploads: readonly Upload[];
}

/** Why a version stays that a rule wants to go. */
type Refusal = { readonly outcome: 'locked' } | { readonly outcome: 'failed'; error: unknown };

/** The meaning of a failure to write a delete marker. */
const MARK_FAILURES: ReadonlyMap<string, ActionOutcome> = new Map([
  ['PreconditionFailed', 'changed'],
  ['NoSuchKey', 'gone'],
  // There is no room for its versions: it was written before the bucket kept any.
  ['KeyTooLongError', 'unsupported'],
]);

export interface VersionActionsOptions {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly versions: VersionedKeys;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly clockState: () => ClockState;
}

/** Carries out what is to be done in buckets that keep versions. */
export class VersionActions {
  constructor(private readonly options: VersionActionsOptions) {}

  /** @throws BackendError, S3Error */
  async carryOut(action: Exclude<VersionAction, ExpireVersionAction>): Promise<VersionResult> {
    const { versions, call } = this.options;
    switch (action.action) {
      case 'expire_current':
        return this.#mark(action);
      case 'repair_link':
        await versions.repairLink(call, keyOf(action));
        return done();
      case 'sweep_versions':
        return this.#sweep(action);
      case 'sweep_index': {
        const { index } = action;
        const outcome = await versions.upkeep.removeEmptyIndex(call, keyOf(action), index);
        return { outcome, uploads: [] };
      }
      case 'sweep_archive':
        return this.#removeArchive(action);
    }
  }

  /** A first version is not changed where it lies. @throws BackendError, S3Error */
  async beforeTransition(action: TransitionAction): Promise<void> {
    const { versions, call } = this.options;
    if (action.version !== undefined) await versions.moveFirst(call, keyOf(action));
  }

  /** Lets listings tell of a transition. @throws BackendError, S3Error */
  async moved(action: TransitionAction): Promise<void> {
    const { version, storageClass } = action;
    if (version === undefined) return;
    const { versions, call } = this.options;
    await versions.upkeep.move(call, keyOf(action), version, storageClass);
  }

  /** Removes those that are still due and that no lock holds. @throws BackendError, S3Error */
  async expire({ key: of, actions, choose, hasSameTags }: VersionBatch): Promise<BatchResult> {
    const { versions, call } = this.options;
    const refused = new Map<string, Refusal>();
    const pruned = await versions.upkeep.prune(call, of, {
      choose: (index) => {
        refused.clear();
        return choose(index);
      },
      mayGo: (head, entry) => {
        const refusal = this.#refusal(head);
        if (refusal !== undefined) refused.set(entry.name, refusal);
        return refusal === undefined && hasSameTags(head, entry);
      },
    });
    const gone = new Set(pruned.map(({ entry }) => entry.name));
    const outcomes = actions.map((action) => {
      const { name } = action.entry;
      if (gone.has(name)) return { action, outcome: 'done' as const };
      return { action, ...(refused.get(name) ?? { outcome: 'changed' as const }) };
    });
    return {
      outcomes,
      uploads: uploadsOf(
        of,
        pruned.flatMap(({ removed }) => removed ?? []),
      ),
    };
  }

  /** The outcomes that {@link expire} would have now. @throws BackendError */
  async plan({ key: of, actions }: VersionBatch): Promise<BatchResult> {
    const outcomes = await mapLimited(actions, CONCURRENCY, async (action) => {
      const refusal = await this.#planned(of, action.entry);
      return { action, ...(refusal ?? { outcome: 'planned' as const }) };
    });
    return { outcomes, uploads: [] };
  }

  async #planned(key: VersionedKey, entry: VersionEntry): Promise<Refusal | undefined> {
    if (entry.kind === 'delete-marker') return undefined;
    const head = await this.options.versions.upkeep.head(this.options.call, key, entry);
    return head && this.#refusal(head);
  }

  /** No rule gets past GOVERNANCE. A lock that cannot be read holds as well: SPEC.md 3.2, 3.3. */
  #refusal({ systemMetadata }: ObjectHead): Refusal | undefined {
    try {
      const { allowed } = decideDeletion({
        existing: storedRetention(systemMetadata),
        legalHold: storedLegalHold(systemMetadata),
        bypass: 'not-requested',
        now: this.options.now(),
        clock: this.options.clockState(),
      });
      return allowed ? undefined : { outcome: 'locked' };
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      return { outcome: 'failed', error };
    }
  }

  async #mark(action: ExpireCurrentAction): Promise<VersionResult> {
    const { versions, call } = this.options;
    const { nullVersion, etag, lastModified } = action;
    const condition = { etag, lastModified };
    try {
      const of = keyOf(action);
      const { removed } = await versions.createDeleteMarker(call, of, { nullVersion, condition });
      return { outcome: 'done', uploads: uploadsOf(of, removed) };
    } catch (error) {
      const outcome = error instanceof S3Error ? MARK_FAILURES.get(error.code) : undefined;
      if (outcome === undefined) throw error;
      return { outcome, uploads: [] };
    }
  }

  async #sweep(action: SweepVersionsAction): Promise<VersionResult> {
    const { versions, call } = this.options;
    const of = keyOf(action);
    const removed = await versions.upkeep.removeLeftovers(call, of, action.leftovers);
    const expected = action.leftovers.objects.length;
    const outcome = removed.length === 0 && expected > 0 ? 'changed' : 'done';
    return { outcome, uploads: uploadsOf(of, removed) };
  }

  /** Removes an empty archive only: what an index names stays, even without its bucket. */
  async #removeArchive({ account, bucket }: VersionedKey): Promise<VersionResult> {
    const { backend, call } = this.options;
    try {
      await backend.deleteContainer(call, archiveContainer(account, bucket));
      return done();
    } catch (error) {
      if (!(error instanceof BackendError)) throw error;
      if (error.code === 'ContainerNotEmpty') return changed();
      if (error.code === 'NoSuchContainer') return gone();
      throw error;
    }
  }
}

function keyOf({ account, bucket, key }: VersionedKey): VersionedKey {
  return { account, bucket, key };
}

function done(): VersionResult {
  return { outcome: 'done', uploads: [] };
}

function gone(): VersionResult {
  return { outcome: 'gone', uploads: [] };
}

function changed(): VersionResult {
  return { outcome: 'changed', uploads: [] };
}

function uploadsOf(
  { account, bucket, key }: VersionedKey,
  removed: readonly RemovedVersion[],
): Upload[] {
  return removed.flatMap(({ manifest }) => {
    const uploadId = manifest?.systemMetadata[SYSTEM_METADATA.uploadId];
    return uploadId === undefined ? [] : { account, bucket, key, uploadId };
  });
}
