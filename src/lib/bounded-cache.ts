import { performance } from 'node:perf_hooks';

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
  readonly expiresAt: number;
}

export interface CacheLimits {
  /** The limit of all entries together, in the unit of their weights. */
  readonly weightMax: number;
  /** How long an entry is kept; 0 keeps nothing. Default: until there is no room for it. */
  readonly lifeMs?: number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** A cache that is bounded by weight, and in time if wanted; what was not used for longest goes first. */
export class BoundedCache<Value> {
  /** In order of their last use. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #weightMax: number;
  readonly #lifeMs: number;
  readonly #now: () => number;
  #weight = 0;
  /** The entry used last: its place need not change when it is used again. */
  #newest: Entry<Value> | undefined;

  constructor({ weightMax, lifeMs = Infinity, now = () => performance.now() }: CacheLimits) {
    this.#weightMax = weightMax;
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt !== Infinity && entry.expiresAt <= this.#now()) {
      this.delete(key);
      return undefined;
    }
    if (entry !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = entry;
    }
    return entry.value;
  }

  /** An entry that is heavier than all may be together is not kept, and ends a former one. */
  set(key: string, value: Value, weight = 1): void {
    this.delete(key);
    if (this.#lifeMs === 0 || weight > this.#weightMax) return;
    const expiresAt = this.#lifeMs === Infinity ? Infinity : this.#now() + this.#lifeMs;
    const entry = { value, weight, expiresAt };
    this.#entries.set(key, entry);
    this.#newest = entry;
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weightMax) return;
      this.delete(oldest);
    }
  }

  /** Another value for an entry that is there; its time goes on. */
  replace(key: string, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const replaced = { ...entry, value };
    this.#entries.set(key, replaced);
    if (entry === this.#newest) this.#newest = replaced;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry === this.#newest) this.#newest = undefined;
    this.#weight -= entry.weight;
    this.#entries.delete(key);
  }

  /** All values; expired ones may be among them. */
  *values(): Generator<Value, void, undefined> {
    for (const { value } of this.#entries.values()) yield value;
  }
}
