interface Entry<Value> {
  readonly value: Value;
  readonly expiresAt: number;
}

/** Bounded in number and in time; the oldest entry goes first. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>();

  /**
   * @param lifeMs - 0 keeps nothing
   * @param now - milliseconds that never go back
   */
  constructor(
    private readonly entriesMax: number,
    private readonly lifeMs: number,
    private readonly now: () => number,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > this.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    if (this.lifeMs === 0) return;
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: this.now() + this.lifeMs });
    if (this.#entries.size <= this.entriesMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  /** Another value for an entry that is there; its time goes on. */
  replace(key: string, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(key, { ...entry, value });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** All values; expired ones may be among them. */
  *values(): Generator<Value, void, undefined> {
    for (const { value } of this.#entries.values()) yield value;
  }
}
