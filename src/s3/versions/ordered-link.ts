import type {
  Backend,
  CallContext,
  Guard,
  LinkInput,
  RemovedManifest,
  WriteOrder,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { BoundedCache } from '../../lib/bounded-cache.js';
import type { CurrentState } from './current-state.js';
import type { StoredIndex } from './index-store.js';
import { isInStep, linkTo, type WriteResult } from './link-writes.js';
import {
  currentRef,
  indexRef,
  nameOfKey,
  requireVersionSupport,
  type VersionedKey,
} from './names.js';
import { placeBehind } from './order.js';
import type { VersionIndex } from './version-entry.js';

/** The limit of remembered links; about 200 bytes each. */
const REMEMBERED_MAX = 10_000;

/** A link as this process has written or seen it. */
type KnownLink = Pick<Extract<CurrentState, { kind: 'link' }>, 'generation'> & {
  readonly since: number;
};

/**
 * Writes links where the store orders writes: a link stands behind the object that it replaces, by
 * its generation. Links of later generations win however late an earlier one comes, and so do
 * objects written past us. So only a process that does not remember the state of the key looks at
 * it. There is no order only where nothing stands, or an object that was written long ago.
 */
export class OrderedLink {
  readonly #known = new BoundedCache<KnownLink>({ weightMax: REMEMBERED_MAX });

  constructor(private readonly backend: Backend) {}

  /** Where this process has not seen the link of the generation before, the store may look at it. */
  get #storeLooks(): boolean {
    return this.backend.capabilities.linksBehind === true;
  }

  /**
   * The state of the key, without looking; undefined when a look is needed. The state expected from
   * the previous index does not tell when it was written: that is remembered, or not.
   */
  recall(
    key: VersionedKey,
    { index, lastModified }: StoredIndex,
    expected: CurrentState | undefined,
  ): CurrentState | undefined {
    if (expected?.kind === 'nothing') {
      // No other writer has a link to make, or to remove.
      if (index.generation === 1) return { ...expected, since: this.#placeOfFirst(lastModified) };
      // A link that another writer is about to make would stay.
      return isCurrent(index) ? expected : undefined;
    }
    if (expected?.kind !== 'link' || expected.lastModified !== undefined) return expected;
    const known = this.#known.get(nameOfKey(key));
    if (known === undefined) {
      const isNext = isCurrent(index) && expected.generation === index.generation - 1;
      return isNext && this.#storeLooks ? expected : undefined;
    }
    if (known.generation >= index.generation) return undefined;
    const { generation, since } = known;
    if (placeBehind(since, index.generation) === undefined) return undefined;
    return { kind: 'link', generation, etag: expected.etag, lastModified: since };
  }

  /**
   * Whether the link of the next generation can be put behind that of this one without a look: this
   * process has written or seen it, or an earlier one that no generation since has removed, so that all
   * links that may still come stand behind the same; or it has seen none, and the store looks itself.
   */
  mayFollow(key: VersionedKey, generation: number): boolean {
    const known = this.#known.get(nameOfKey(key));
    return known === undefined ? this.#storeLooks : known.generation === generation;
  }

  /** This was seen at the key, and the index was read before. */
  saw(key: VersionedKey, { generation }: VersionIndex, state: CurrentState): void {
    if (state.kind === 'link' && state.generation === generation) {
      this.#remember(key, generation, state.lastModified);
    }
  }

  /**
   * Tells of an index that was decided: where it has a current version, its generation has left a link
   * where there was one. A link of another base makes the next one stale, and is looked at.
   */
  follow(key: VersionedKey, index: VersionIndex): void {
    const known = this.#known.get(nameOfKey(key));
    if (known?.generation !== index.generation - 1) return;
    if (isCurrent(index)) this.#remember(key, index.generation, known.since);
  }

  /**
   * Puts the key in step, behind the object there: a later one stays. Links that replace the same
   * object stand in the order of their generations.
   *
   * Where nothing stands, a link is created, and only one writer can do that; but a writer that
   * deletes the key then would find nothing to delete. So the index is looked at again: a writer
   * that has replaced it by then looks at the key after that, and finds the link. The same holds
   * where the link before this one was not seen: it may come later, and what was seen be deleted.
   *
   * The first link of a key stands behind the creation of its index, where the store takes that of a
   * creation. Then the index is not looked at again: a writer that finds the key empty later, and leaves
   * it so, deletes it all the same, behind that creation and by the generation.
   *
   * A write without an order is made only while the index is the one that it is for. A write over
   * an object that is older than the index, and was not replaced by its first generation, has no
   * order: a write behind that object would make way for a first link that comes late.
   *
   * @param refused - see {@link WriteResult}, of the attempt before
   */
  async write(
    call: CallContext,
    key: VersionedKey,
    stored: StoredIndex,
    state: CurrentState,
    refused?: number,
  ): Promise<WriteResult> {
    const { index, etag } = stored;
    const [current] = index.entries;
    const { generation } = index;
    const isVersion = current?.kind === 'version';
    if (isInStep(state, generation, isVersion)) {
      if (state.kind === 'link') this.#remember(key, generation, state.lastModified);
      return state.kind === 'nothing' ? this.#keepEmpty(call, key, stored) : IN_ORDER;
    }
    requireVersionSupport(this.backend.capabilities);
    this.#known.delete(nameOfKey(key));
    if (isVersion && state.kind === 'link' && state.lastModified === undefined) {
      return this.#putUnseen(call, key, linkTo(key, current, stored), generation);
    }
    const order = isBeforeFirstLink(state, stored) ? undefined : orderBehind(state, generation);
    const ref = currentRef(key);
    const replaced = manifestOf(state);
    const hasOrder = order !== undefined;
    const creation = refused === generation ? undefined : this.#placeOfCreation(stored);
    const hasOwnTime = state.kind === 'nothing' ? creation === undefined : !hasOrder;
    const guard: Guard | undefined =
      hasOwnTime && state.kind !== 'nothing'
        ? { ref: indexRef(key), etag, consumed: false }
        : undefined;
    try {
      if (!isVersion) {
        const options = { order, guard };
        const deleted = await this.backend.deleteObject(call, ref, undefined, options);
        if (deleted.outcome !== 'deleted') return DIFFERENT;
        return { outcome: 'written', replaced, isOrdered: hasOrder, hasOwnTime };
      }
      const link = { ...linkTo(key, current, stored), writeClass: 'deletion' } as const;
      const put =
        state.kind === 'nothing'
          ? await this.backend.putLink(call, ref, { ...link, order: creation }, { absent: true })
          : await this.backend.putLink(call, ref, { ...link, order, guard });
      if (put.outcome !== 'created') {
        const isRefused = put.outcome === 'stale' && state.kind === 'nothing';
        return isRefused ? { outcome: 'different', refused: generation } : DIFFERENT;
      }
      this.#remember(key, generation, put.lastModified);
      const isOrdered = hasOrder && (state.kind === 'nothing' || isLinkBefore(state, generation));
      return { outcome: 'written', replaced, isOrdered, hasOwnTime };
    } catch (error) {
      if (isCode(error, 'GuardMissing')) return OVERTAKEN;
      if (isCode(error, 'NoSuchObject')) return DIFFERENT;
      throw error;
    }
  }

  /**
   * Puts a link behind the one of the generation before, which this process has not seen. If that is
   * not there, nothing is written, and the index has to be stored before the key is looked at.
   */
  async #putUnseen(
    call: CallContext,
    key: VersionedKey,
    link: LinkInput,
    generation: number,
  ): Promise<WriteResult> {
    const input = { ...link, writeClass: 'deletion', behind: generation } as const;
    const put = await this.backend.putLink(call, currentRef(key), input);
    if (put.outcome !== 'created') return DIFFERENT;
    this.#remember(key, generation, put.lastModified);
    return IN_ORDER;
  }

  /**
   * Links are created behind the creation of the index, by all: of creators that lose their exclusion the
   * one of the latest generation wins. Behind a deletion of another client of the store a link gets a
   * time of its own: that is what has refused it, if the index is still the same.
   */
  #placeOfCreation({ index, lastModified }: StoredIndex): WriteOrder | undefined {
    return placeBehind(this.#placeOfFirst(lastModified), index.generation);
  }

  /**
   * Sees to it that the first link of a key that was found empty comes too late: its writer does not
   * look at the index again.
   */
  async #keepEmpty(
    call: CallContext,
    key: VersionedKey,
    { index: { generation }, lastModified }: StoredIndex,
  ): Promise<WriteResult> {
    const order = placeBehind(lastModified, generation);
    if (generation === 1 || order === undefined) return IN_ORDER;
    try {
      const deleted = await this.backend.deleteObject(call, currentRef(key), undefined, { order });
      return deleted.outcome === 'deleted' ? IN_ORDER : DIFFERENT;
    } catch (error) {
      if (isCode(error, 'NoSuchObject')) return IN_ORDER;
      throw error;
    }
  }

  /**
   * The place of the first link of a key: behind the creation of the index, which every writer of
   * the key knows.
   */
  #placeOfFirst(createdAt: number | undefined): number | undefined {
    return this.backend.capabilities.orderedCreations === true ? createdAt : undefined;
  }

  #remember(key: VersionedKey, generation: number, since: number | undefined): void {
    if (since !== undefined) this.#known.set(nameOfKey(key), { generation, since });
  }
}

const IN_ORDER: WriteResult = { outcome: 'written', replaced: undefined, isOrdered: true };
const DIFFERENT: WriteResult = { outcome: 'different' };
const OVERTAKEN: WriteResult = { outcome: 'overtaken' };

/** Whether it is the link of the generation before: only who comes later can have deleted that. */
function isLinkBefore(state: CurrentState, generation: number): boolean {
  return state.kind === 'link' && state.generation === generation - 1;
}

/** Undefined where it is not known when that was written, or too long ago, or nothing is there. */
function orderBehind(state: CurrentState, rank: number): WriteOrder | undefined {
  if (state.kind === 'nothing') return placeBehind(state.since, rank);
  if (!('lastModified' in state) || state.lastModified === undefined) return undefined;
  // A link of an index that is not there any more.
  const isAlien =
    state.kind === 'link' && (state.generation >= rank || (state.generation === 0 && rank === 1));
  return placeBehind(isAlien ? state.lastModified + 1 : state.lastModified, rank);
}

function isBeforeFirstLink(state: CurrentState, { index, lastModified = 0 }: StoredIndex): boolean {
  return state.kind === 'plain' && index.generation > 1 && state.lastModified < lastModified;
}

function isCurrent({ entries: [latest] }: VersionIndex): boolean {
  return latest?.kind === 'version';
}

/** The manifest that an ordered write replaces: of the very object that was looked at. */
function manifestOf(state: CurrentState): RemovedManifest | undefined {
  if (state.kind !== 'plain' || state.head.link !== undefined) return undefined;
  const { size, etag, systemMetadata, segmentCount } = state.head;
  return segmentCount === undefined ? undefined : { size, etag, systemMetadata };
}
