import type { ContainerRef } from '../backend.js';
import { BackendError } from '../errors.js';
import { decodeContainer, type StoredContainer } from './container-record.js';
import { containerKey } from './keys.js';
import { peek, type Tables } from './tables.js';

/** Names remembered; beyond it the memory begins anew, which costs one read a name. */
const NAMES_MAX = 10_000;

/**
 * Remembers the ids of containers. Another process may delete a container at any time, so a
 * remembered id may be out of date. That is safe for a read that finds an object under it (ids are
 * never used twice, and only an empty container can be deleted). A read that finds none, and every
 * write, must check the id.
 */
export class ContainerIds {
  #ids = new Map<string, number>();

  constructor(private readonly tables: Tables) {}

  cached(ref: ContainerRef): number | undefined {
    return this.#ids.get(cacheKey(ref));
  }

  /** Reads the id in the current transaction. @throws BackendError NoSuchContainer, NameTooLong */
  resolve(ref: ContainerRef): number {
    const container = readContainer(this.tables, ref);
    if (container === undefined) {
      this.#ids.delete(cacheKey(ref));
      throw noSuchContainer(ref);
    }
    if (this.#ids.size >= NAMES_MAX) this.#ids = new Map();
    this.#ids.set(cacheKey(ref), container.id);
    return container.id;
  }
}

/** @throws BackendError NameTooLong, Corrupt */
export function readContainer(tables: Tables, ref: ContainerRef): StoredContainer | undefined {
  const row = peek(tables.containers, containerKey(ref));
  return row && decodeContainer(row, row.length);
}

export function noSuchContainer(ref: ContainerRef): BackendError {
  return new BackendError('NoSuchContainer', `no container ${ref.account}/${ref.container}`);
}

/** Unambiguous: a length comes first. */
function cacheKey(ref: ContainerRef): string {
  return `${ref.account.length}/${ref.account}/${ref.container}`;
}
