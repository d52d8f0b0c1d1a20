import { createHash } from 'node:crypto';
import type { Transaction } from 'lmdb';
import type { ContainerRef, ObjectRef } from '../../backend.js';
import { BackendError } from '../../errors.js';
import { corrupt, isMd5 } from '../bytes.js';
import { decodeContainer } from '../container-record.js';
import type { StoreDeps } from '../deps.js';
import { takeHold } from '../holds.js';
import { afterKey, containerKey, idKey, ID_BYTES, objectKey } from '../keys.js';
import { decodeSummary, type ObjectSummary } from '../object-record.js';
import { copyOf, refresh, type Table } from '../tables.js';

/** A key and its value; both are copies. */
export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** lmdb's typings leave out that it takes the snapshot to read in. */
interface ReadableIn {
  getBinaryFast(key: Buffer, options: { readonly transaction: Transaction }): Buffer | undefined;
}

/** Rows read at once. */
const PAGE_ROWS = 500;

/**
 * One state of the whole store, as it was when it was opened, whatever is written meanwhile: the index
 * in a snapshot, and all body files that it names, which a hold keeps.
 */
export class StoreState {
  private constructor(
    readonly deps: StoreDeps,
    private readonly transaction: Transaction,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Opens a state, and lets go of it behind `work`; then removes the files that waited for that.
   * @throws BackendError as a commit, for the hold; what `work` throws
   */
  static async with<T>(
    deps: StoreDeps,
    signal: AbortSignal,
    work: (state: StoreState) => Promise<T>,
  ): Promise<T> {
    const release = await takeHold(deps);
    try {
      refresh(deps.tables);
      const transaction = deps.tables.root.useReadTransaction();
      try {
        return await work(new StoreState(deps, transaction, signal));
      } finally {
        transaction.done();
      }
    } finally {
      await release();
    }
  }

  /** The rows of a table in the order of their keys; others get their turn between two pages. */
  async *rows(table: Table, from: Buffer = Buffer.of(0), end?: Buffer): AsyncGenerator<Row, void> {
    for (let start = from; ;) {
      this.signal.throwIfAborted();
      const range = { start, limit: PAGE_ROWS, transaction: this.transaction };
      const page = [...table.getRange(end === undefined ? range : { ...range, end })];
      // lmdb-js gives views of memory that may be larger than the key.
      for (const { key, value } of page) yield { key: Buffer.from(key), value };
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_ROWS) return;
      start = afterKey(Buffer.from(last.key));
      await new Promise(setImmediate);
    }
  }

  get(table: Table, key: Buffer): Buffer | undefined {
    const found = (table as ReadableIn).getBinaryFast(key, { transaction: this.transaction });
    return found && copyOf(found);
  }

  /** The object that the state has under a name; undefined: none. @throws BackendError Corrupt */
  summaryOf(ref: ObjectRef): ObjectSummary | undefined {
    const { containers, objects } = this.deps.tables;
    const container = this.get(containers, containerKey(ref));
    if (container === undefined) return undefined;
    const { id } = decodeContainer(container, container.length);
    const row = this.get(objects, objectKey(id, ref.object));
    return row && decodeSummary(row, row.length);
  }

  /**
   * Reads the body of an object that has one of its own, and holds it against size and MD5.
   * @throws BackendError Corrupt
   */
  async readBody(
    { place, bodyId, size, etag }: ObjectSummary,
    take: (chunk: Buffer) => Promise<void> | undefined,
  ): Promise<void> {
    const md5 = isMd5(etag) ? createHash('md5') : undefined;
    let bytes = 0;
    for await (const chunk of this.#chunks(place, bodyId)) {
      bytes += chunk.length;
      if (bytes > size) break;
      md5?.update(chunk);
      await take(chunk);
    }
    if (bytes !== size) throw wrongBody(`the body has ${bytes} bytes or more, not ${size}`);
    const found = md5?.digest('hex') ?? etag;
    if (found !== etag) throw wrongBody(`the body has MD5 ${found}, not ${etag}`);
  }

  async *#chunks(place: string, bodyId: number): AsyncGenerator<Buffer, void> {
    const { files, pool, tables } = this.deps;
    if (place === 'empty') return;
    if (place === 'inline') {
      const body = this.get(tables.bodies, idKey(bodyId));
      if (body === undefined) throw wrongBody('the body is missing in the index');
      yield body;
      return;
    }
    const file = await files.open(bodyId);
    if (file === undefined)
      throw wrongBody(`the file of the body is missing: ${files.path(bodyId)}`);
    const buffer = pool.take(pool.bufferBytes);
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const { bytesRead } = await file.read(buffer, 0, buffer.length);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      pool.give(buffer);
      await file.close();
    }
  }
}

/** The name in the key of a container. @throws BackendError Corrupt */
export function containerOfKey(key: Buffer): ContainerRef {
  const accountEnd = 1 + (key[0] ?? 0);
  if (key.length <= accountEnd) throw corrupt('the key of a container is cut off');
  return {
    account: key.toString('utf8', 1, accountEnd),
    container: key.toString('utf8', accountEnd),
  };
}

/** The name in the key of an object. */
export function nameOfKey(key: Buffer): string {
  return key.toString('utf8', ID_BYTES);
}

function wrongBody(detail: string): BackendError {
  return new BackendError('Corrupt', detail);
}
