import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { mapLimited } from '../../lib/promises.js';
import type { IndexStore, PreparedIndex, StoredIndex } from './index-store.js';
import { nameOfKey, type VersionedKey } from './names.js';

/** How long an index may stay behind its fences while its listener lives. */
const DELAY_MS = 5000;
/**
 * The limit of generations that an index may be behind: each is a fence that its next reader reads.
 */
const GENERATIONS_MAX = 16;
/** A larger index is written at once: to keep many of them would take memory, and hashing time. */
const BODY_BYTES_MAX = 16 * 1024;
/** Keys whose indexes may wait at once: 16 MiB of documents at most. */
const KEYS_MAX = 1000;
/** How long a process that ends waits for the writes. */
const CLOSE_MS_MAX = 5000;
/** Writes under way at once. */
const CONCURRENCY = 8;

/** How the write of an index that was postponed ended. */
export type PostponedOutcome = 'written' | 'overtaken' | 'failed';

interface Waiting {
  readonly key: VersionedKey;
  /** The generation that the stored document is known to have. */
  storedGeneration: number;
  call: CallContext;
  next: PreparedIndex;
  former: StoredIndex;
}

export interface PostponedIndexesOptions {
  readonly store: IndexStore;
  /** Default: {@link DELAY_MS}. */
  readonly delayMs?: number | undefined;
  readonly onWrite?: ((outcome: PostponedOutcome) => void) | undefined;
}

/**
 * Indexes that are written a little later than their fences, once for several generations.
 *
 *     fence 8 ─▶ link ─▶ answer      fence 9 ─▶ link ─▶ answer      …      index 9
 *
 * A commit is decided by its fence, which has all of it, and every reader follows the fences from the
 * index that it finds (FencedProtocol.read). So on a store with ordered writes the document is only
 * where readers begin. If this process dies, the next reader or writer of the key writes the
 * document that was postponed.
 *
 * A deletion is never postponed. It leaves the key empty, and a slow writer of an earlier generation
 * may put its link there: that writer learns from the stored index that it is too late
 * (CurrentLink.sync), so the index of a deletion is stored before the key is emptied. A new version
 * leaves a link at the key, over which no earlier one can be put.
 */
export class PostponedIndexes {
  readonly #waiting = new Map<string, Waiting>();
  readonly #delayMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: PostponedIndexesOptions) {
    this.#delayMs = options.delayMs ?? DELAY_MS;
  }

  /**
   * Takes an index over whose fence exists.
   * @param before - the index that its commit was made on
   * @returns the index as it will be stored; undefined when it has to be written now
   */
  postpone(
    call: CallContext,
    key: VersionedKey,
    next: PreparedIndex,
    before: StoredIndex,
  ): StoredIndex | undefined {
    const { store } = this.options;
    if (this.#isClosed || before.etag === undefined || !store.isOrdered(before)) return undefined;
    if (next.body.length > BODY_BYTES_MAX) return undefined;
    const name = nameOfKey(key);
    const waiting = this.#waiting.get(name);
    if (waiting === undefined && this.#waiting.size >= KEYS_MAX) return undefined;
    const storedGeneration = waiting?.storedGeneration ?? before.index.generation;
    if (next.index.generation - storedGeneration >= GENERATIONS_MAX) return undefined;
    if (waiting === undefined) {
      this.#waiting.set(name, { key, storedGeneration, call, next, former: before });
    } else Object.assign(waiting, { call, next, former: before });
    this.#timer ??= setTimeout(() => void this.#writeDue(), this.#delayMs).unref();
    return store.expect(key, next, before);
  }

  /** The document of this generation, or of a later one, is stored. */
  written(key: VersionedKey, generation: number): void {
    const name = nameOfKey(key);
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    if (waiting.next.index.generation <= generation) this.#waiting.delete(name);
    else waiting.storedGeneration = Math.max(waiting.storedGeneration, generation);
  }

  /** Writes all indexes that wait. Those that fail wait on. */
  async writeAll(): Promise<void> {
    await mapLimited([...this.#waiting.values()], CONCURRENCY, (one) => this.#write(one));
  }

  /**
   * Postpones nothing from now on, and writes the waiting indexes. One that fails, or takes longer
   * than the limit, is left to the next reader of the key.
   */
  async close(limitMs = CLOSE_MS_MAX): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const ended = new AbortController();
    const limit = delay(limitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([this.writeAll(), limit]);
    ended.abort();
    this.#waiting.clear();
  }

  async #writeDue(): Promise<void> {
    await this.writeAll();
    this.#timer = undefined;
    if (this.#waiting.size === 0 || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#writeDue(), this.#delayMs).unref();
  }

  async #write({ key, call, next, former }: Waiting): Promise<void> {
    const { store, onWrite } = this.options;
    try {
      const stored = await store.writeIndex(call, key, next, former);
      // Otherwise another writer has stored a later one.
      this.written(key, next.index.generation);
      onWrite?.(stored === undefined ? 'overtaken' : 'written');
    } catch (error) {
      // The bucket was deleted, and its archive with it.
      if (isCode(error, 'NoSuchContainer')) this.written(key, next.index.generation);
      onWrite?.('failed');
    }
  }
}
