import type { ContainerRef } from '../backend.js';
import { BackendError } from '../errors.js';
import { corrupt } from './bytes.js';
import type { ContainerIds } from './container-ids.js';
import { decodeUsage, encodeUsage, type Usage } from './container-record.js';
import { idKey } from './keys.js';
import { peek, type Table, type Tables } from './tables.js';

const NEXT_BODY_ID = Buffer.from('next-body-id');
const NEXT_CONTAINER_ID = Buffer.from('next-container-id');
/** The usage row that sums up all containers. */
const WHOLE_STORE = 0;

/**
 * The view of operations inside one LMDB write transaction: the tables, and the rows that many of
 * them change (usage, id counters), which are read once and written once by {@link finish}.
 *
 * An operation checks first and writes then, and does not throw once it has written: lmdb-js cannot
 * take back a part of a transaction, so an error after a write would leave a half.
 */
export class WriteTransaction {
  /** Milliseconds since the epoch: the time of modification of whatever this transaction writes. */
  readonly now = Date.now();
  readonly #usage = new Map<number, Usage>();
  readonly #changed = new Map<number, Usage>();
  #nextBodyId: number | undefined;

  constructor(
    readonly tables: Tables,
    private readonly ids: ContainerIds,
  ) {}

  /** @throws BackendError NoSuchContainer */
  containerId(ref: ContainerRef): number {
    const cached = this.ids.cached(ref);
    if (cached !== undefined && this.usageOf(cached) !== undefined) return cached;
    return this.ids.resolve(ref);
  }

  /** Count and bytes of a container, with what this transaction added; undefined when it is gone. */
  usageOf(containerId: number): Readonly<Usage> | undefined {
    return this.#usageRow(containerId);
  }

  #usageRow(containerId: number): Usage | undefined {
    const known = this.#usage.get(containerId);
    if (known !== undefined) return known;
    const row = peek(this.tables.usage, idKey(containerId));
    if (row === undefined) return undefined;
    const usage = decodeUsage(row, row.length);
    this.#usage.set(containerId, usage);
    return usage;
  }

  /** Adds to the usage of a container and of the store. @throws BackendError NoSuchContainer */
  addUsage(containerId: number, objects: number, bytes: number): void {
    const usage = this.#usageRow(containerId);
    if (usage === undefined) throw new BackendError('NoSuchContainer', 'the container is gone');
    this.#add(containerId, usage, objects, bytes);
    const whole = this.#usageRow(WHOLE_STORE) ?? { objectCount: 0, bytesUsed: 0 };
    this.#add(WHOLE_STORE, whole, objects, bytes);
  }

  #add(containerId: number, usage: Usage, objects: number, bytes: number): void {
    usage.objectCount += objects;
    usage.bytesUsed += bytes;
    this.#usage.set(containerId, usage);
    this.#changed.set(containerId, usage);
  }

  createUsage(containerId: number): void {
    this.#add(containerId, { objectCount: 0, bytesUsed: 0 }, 0, 0);
  }

  removeUsage(containerId: number): void {
    this.#usage.delete(containerId);
    this.#changed.delete(containerId);
    void this.tables.usage.remove(idKey(containerId));
  }

  /** An id that no body ever had: they only grow, across all processes. */
  newBodyId(): number {
    const id = this.#nextBodyId ?? readCounter(this.tables.meta, NEXT_BODY_ID);
    this.#nextBodyId = id + 1;
    return id;
  }

  newContainerId(): number {
    const id = readCounter(this.tables.meta, NEXT_CONTAINER_ID);
    void this.tables.meta.put(NEXT_CONTAINER_ID, idKey(id + 1));
    return id;
  }

  /** Writes what was held back; the last thing inside the transaction. */
  finish(): void {
    for (const [id, usage] of this.#changed) {
      void this.tables.usage.put(idKey(id), encodeUsage(usage));
    }
    if (this.#nextBodyId !== undefined) {
      void this.tables.meta.put(NEXT_BODY_ID, idKey(this.#nextBodyId));
    }
  }
}

/** The usage of the whole store, as last committed. */
export function readStoreUsage(tables: Tables): Usage {
  return readUsage(tables, WHOLE_STORE) ?? { objectCount: 0, bytesUsed: 0 };
}

export function readUsage(tables: Tables, containerId: number): Usage | undefined {
  const row = peek(tables.usage, idKey(containerId));
  return row && decodeUsage(row, row.length);
}

function readCounter(meta: Table, key: Buffer): number {
  const row = peek(meta, key);
  if (row === undefined) return 1;
  if (row.length !== 6) throw corrupt('it is not a counter');
  return row.readUIntBE(0, 6);
}
