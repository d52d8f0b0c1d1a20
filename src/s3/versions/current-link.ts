import type { Backend, CallContext, Guard, RemovedManifest } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { isCode } from '../../backend/errors.js';
import { BoundedCache } from '../../lib/bounded-cache.js';
import { comesOf } from './index-changes.js';
import type { IndexCommits } from './index-commits.js';
import type { StoredIndex } from './index-store.js';
import { isInStep, linkTo, UNCHANGED, type WriteResult } from './link-writes.js';
import {
  currentRef,
  indexRef,
  nameOfKey,
  type VersionedKey,
  requireVersionSupport,
} from './names.js';
import {
  entryFor,
  preconditionOn,
  readCurrentState,
  type PlainObject,
  type CurrentState,
} from './current-state.js';
import { OrderedLink } from './ordered-link.js';
import type { VersionIndex } from './version-entry.js';

export type SyncResult =
  | {
      readonly outcome: 'in-step';
      /** The index that the key is in step with. */
      readonly stored: StoredIndex;
      /** The segments of a plain object that the link replaced. */
      readonly replaced: RemovedManifest | undefined;
    }
  /** An object that no index knows stands at the key: it has to be adopted first. */
  | { readonly outcome: 'unknown-plain'; readonly plain: PlainObject };

/** The limit of attempts: each lost race is another writer's commit. */
const ATTEMPTS_MAX = 100;
/**
 * How long it is tried while the index stays as it is: after that, the object there is not the one
 * that the store was told to put there, such as with Swift's own versioning beside ours.
 */
const STANDSTILL_MS_MAX = 5000;
/** So long a key is remembered to stand still, and gets one attempt with each call. */
const STUCK_MS = 10_000;
/** Keys that are remembered. */
const STUCK_MAX = 1000;

/**
 * Keeps the current object of a key in step with its index: a link to the current version, or
 * nothing.
 *
 * A link is written only while the index is still the one that it is for (the guard), and only if
 * the current object is the one that was read (the precondition). So a slow writer cannot put an
 * old link over a newer one, and an object that another client of the store has written is not
 * lost. If the store cannot check the guard atomically, the index is read again afterwards.
 *
 * Where the store orders writes, their order takes the place of all that: see OrderedLink.
 */
export class CurrentLink {
  /** Keys that were found to stand still. */
  readonly #stuck: BoundedCache<true>;
  /** Where the store orders writes. */
  readonly #ordered: OrderedLink | undefined;

  /** @param now - milliseconds that never jump */
  constructor(
    private readonly backend: Backend,
    private readonly commits: Pick<IndexCommits, 'read' | 'isStored'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#stuck = new BoundedCache({ weightMax: STUCK_MAX, lifeMs: STUCK_MS, now });
    const { conditionalReplace, orderedWrites } = backend.capabilities;
    if (orderedWrites && !conditionalReplace) this.#ordered = new OrderedLink(backend);
  }

  /**
   * True when the store orders writes, and the link of the next generation can be put behind that of
   * this one without looking at the key before, or reading the index afterwards.
   */
  mayFollow(key: VersionedKey, generation: number): boolean {
    return this.#ordered?.mayFollow(key, generation) ?? false;
  }

  /** Takes note of the state of the key, seen after this index was read. */
  saw(key: VersionedKey, index: VersionIndex, state: CurrentState): void {
    this.#ordered?.saw(key, index, state);
  }

  /** Tells of an index that was decided, whether it is stored yet or not. */
  follow(key: VersionedKey, index: VersionIndex): void {
    this.#ordered?.follow(key, index);
  }

  /**
   * Brings the key in step with this index, or with a newer one that is found on the way.
   *
   * @param expected - what probably stands there, to spare looking
   * @throws S3Error `ServiceUnavailable` when it does not hold still, or cannot be brought in step
   *   within seconds; BackendError NoSuchContainer without the bucket
   */
  async sync(
    call: CallContext,
    key: VersionedKey,
    stored: StoredIndex,
    expected?: CurrentState,
  ): Promise<SyncResult> {
    const { conditionalReplace } = this.backend.capabilities;
    const ordered = this.#ordered;
    let target = stored;
    let standing = conditionalReplace ? expected : undefined;
    if (ordered !== undefined) standing = ordered.recall(key, stored, expected);
    let refused: number | undefined;
    const isStuck = this.#stuck.get(nameOfKey(key)) !== undefined;
    const patience = new Patience(this.now, isStuck ? 0 : STANDSTILL_MS_MAX, stored.etag);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      if (attempt > 1 && patience.endsAt(target.etag)) throw this.#standstill(key);
      if (standing === undefined) {
        standing = await readCurrentState(this.backend, call, key);
        if (standing.kind === 'plain' && entryFor(standing, target.index) === undefined) {
          // Another request may have adopted it since the index was read.
          const now = await this.#read(call, key, stored);
          if (now.etag === target.etag) return { outcome: 'unknown-plain', plain: standing };
          target = now;
          standing = undefined;
          continue;
        }
        if (
          ordered !== undefined &&
          standing.kind === 'link' &&
          standing.generation > target.index.generation
        ) {
          target = await this.#read(call, key, stored);
        }
      }
      const written =
        ordered === undefined
          ? await this.write(call, key, target, standing)
          : await ordered.write(call, key, target, standing, refused);
      standing = undefined;
      if (written.outcome === 'different') {
        refused = written.refused;
        // No order keeps a link of an index that was replaced away from where nothing stands.
        if (ordered !== undefined) target = await this.#read(call, key, stored);
        continue;
      }
      if (written.outcome === 'written') {
        const { replaced } = written;
        const inStep = { outcome: 'in-step', stored: target, replaced } as const;
        if (await this.#holds(call, key, target, written)) return inStep;
        const now = await this.#read(call, key, stored);
        if (now.etag === target.etag) return inStep;
        target = now;
      } else target = await this.#read(call, key, stored);
    }
    throw new S3Error('ServiceUnavailable');
  }

  /** Whether it is sure, without reading the index, that what was written is not too old. */
  #holds(
    call: CallContext,
    key: VersionedKey,
    target: StoredIndex,
    { isOrdered = false, hasOwnTime = false }: Extract<WriteResult, { outcome: 'written' }>,
  ): Promise<boolean> | boolean {
    if (this.backend.capabilities.atomicGuard || isOrdered) return true;
    // The indexes of those in whose place it came may be postponed: the fences tell of them.
    if (hasOwnTime) return false;
    return this.#ordered !== undefined && this.commits.isStored(call, key, target);
  }

  /**
   * The newest index.
   * @throws S3Error `ServiceUnavailable` when it does not come of the one that the key is synced with
   */
  async #read(call: CallContext, key: VersionedKey, stored: StoredIndex): Promise<StoredIndex> {
    const now = await this.commits.read(call, key);
    if (comesOf(now.index, stored.index)) return now;
    const cause = new Error(`${key.bucket} was deleted, and perhaps made again, meanwhile`);
    throw new S3Error('ServiceUnavailable', undefined, {}, { cause });
  }

  #standstill(key: VersionedKey): S3Error {
    this.#stuck.set(nameOfKey(key), true, 1);
    const cause = new Error(
      `${key.bucket}/${key.key} cannot be brought in step with its versions: ` +
        'see "ringway repair"',
    );
    return new S3Error('ServiceUnavailable', undefined, {}, { cause });
  }

  /** Replaces exactly what stands at a key by what the index says, while it does. */
  async write(
    call: CallContext,
    key: VersionedKey,
    stored: StoredIndex,
    state: CurrentState,
  ): Promise<WriteResult> {
    const { index, etag } = stored;
    const [current] = index.entries;
    const isVersion = current?.kind === 'version';
    if (isInStep(state, index.generation, isVersion)) return UNCHANGED;
    requireVersionSupport(this.backend.capabilities);
    const guard: Guard = { ref: indexRef(key), etag, consumed: false };
    const { conditionalReplace, conditionalDelete } = this.backend.capabilities;
    const exact = preconditionOn(state);
    const precondition = conditionalReplace || state.kind === 'nothing' ? exact : undefined;
    try {
      if (isVersion) {
        // It ends what the commit has begun.
        const writeClass = 'deletion' as const;
        const input = { ...linkTo(key, current, stored), guard, writeClass };
        const put = await this.backend.putLink(call, currentRef(key), input, precondition);
        if (put.outcome !== 'created') return { outcome: 'different' };
        return { outcome: 'written', replaced: put.replacedManifest };
      }
      const deleted = await this.backend.deleteObject(
        call,
        currentRef(key),
        conditionalDelete ? exact : precondition,
        { guard },
      );
      if (deleted.outcome !== 'deleted') return { outcome: 'different' };
      return { outcome: 'written', replaced: deleted.removedManifest };
    } catch (error) {
      if (isCode(error, 'GuardMissing')) return { outcome: 'overtaken' };
      if (isCode(error, 'NoSuchObject')) return { outcome: 'different' };
      throw error;
    }
  }
}

/** Ends when an index has not changed for so long. */
class Patience {
  #since: number;

  constructor(
    private readonly now: () => number,
    private readonly ms: number,
    private etag: string | undefined,
  ) {
    this.#since = now();
  }

  /** @param etag - of the index now; another one than before is worth another attempt */
  endsAt(etag: string | undefined): boolean {
    if (etag === this.etag) return this.now() - this.#since >= this.ms;
    this.etag = etag;
    this.#since = this.now();
    return false;
  }
}
