import type { Instant } from './operation.js';
import { isNull, mayBeNull, type KeyWrites, type Removal, type Write } from './writes.js';

/** By when something is seen by those who look at the list of all entries, or at the key itself. */
export type Place = 'doneBy' | 'shownBy';

/**
 * The removals that may have taken an entry away. A version with an id of its own goes by a DELETE
 * of that id alone; a `null` version also when the next one is made (SPEC.md 3.1, Suspended).
 */
export class Removals {
  readonly #byVersion = new Map<string, Removal[]>();
  readonly #ofNull: readonly Removal[];
  /** All that may have written a null version. */
  readonly #nullWrites: readonly Write[];

  constructor({ writes, removals }: KeyWrites) {
    for (const removal of removals) {
      const same = this.#byVersion.get(removal.version) ?? [];
      same.push(removal);
      this.#byVersion.set(removal.version, same);
    }
    this.#ofNull = this.#byVersion.get('null') ?? [];
    this.#nullWrites = writes.filter(mayBeNull);
  }

  /**
   * When it is gone at the latest, as far as answers to removals and overwrites tell.
   * @param where - in the list of all entries, or at the key itself
   */
  goneBy(write: Write, where: Place): Instant {
    if (!isNull(write)) {
      return minimum(this.#of(write).map(({ doneBy }) => doneBy));
    }
    const removed = this.#ofNull.map(({ start, doneBy }) => ({ start, end: doneBy }));
    const nulls = this.#nullWrites.filter(isNull);
    const overwritten = nulls.map((each) => ({ start: each.start, end: each[where] }));
    const later = [...removed, ...overwritten].filter(({ start }) => start > write.doneBy);
    return minimum(later.map(({ end }) => end));
  }

  /** Whether it may not be among the entries at `end`. */
  mayBeGone(write: Write, end: Instant): boolean {
    if (this.mayBeDeleted(write, end)) return true;
    if (!isNull(write)) return false;
    return this.#nullWrites.some(
      (other) => other !== write && other.start <= end && other.doneBy >= write.start,
    );
  }

  /** The same without overwriting, which puts a newer entry in its place. */
  mayBeDeleted(write: Write, end: Instant): boolean {
    const after = isNull(write) ? write.start : -Infinity;
    return this.#of(write).some(({ start, doneBy }) => start <= end && doneBy >= after);
  }

  /**
   * Whether the key may have no `null` entry at all: the last of the null writes that had happened
   * at `start` has to be deleted, not overwritten.
   */
  mayHaveNoNull(start: Instant, end: Instant, where: Place): boolean {
    const happened = this.#nullWrites.filter((write) => isNull(write) && write[where] < start);
    if (happened.length === 0) return true;
    const last = happened.reduce((latest, write) => Math.max(latest, write.start), -Infinity);
    return this.#ofNull.some((removal) => removal.start <= end && removal.doneBy >= last);
  }

  #of({ version }: Write): readonly Removal[] {
    return this.#byVersion.get(version ?? '') ?? [];
  }
}

function minimum(instants: readonly Instant[]): Instant {
  return instants.reduce((first, instant) => Math.min(first, instant), Infinity);
}
