interface Entry {
  readonly elapsedS: number;
  readonly growth: ReadonlyMap<string, number>;
}

/** Growth of counters over the last scrapes, for rates that do not jump with each of them. */
export class RateWindow {
  #entries: Entry[] = [];

  /** @param spanS how long a scrape counts; the latest always does */
  constructor(private readonly spanS: number) {}

  /**
   * @param growth - since the scrape before, by whatever names the counters
   * @param elapsedS - since the scrape before
   */
  push(growth: ReadonlyMap<string, number>, elapsedS: number): void {
    this.#entries.push({ elapsedS, growth });
    let total = this.#entries.reduce((sum, entry) => sum + entry.elapsedS, 0);
    while (this.#entries.length > 1 && total > this.spanS) {
      total -= this.#entries.shift()?.elapsedS ?? 0;
    }
  }

  get elapsedS(): number {
    return this.#entries.reduce((sum, entry) => sum + entry.elapsedS, 0);
  }

  /** Growth of each within the window. */
  growth(): Map<string, number> {
    const total = new Map<string, number>();
    for (const { growth } of this.#entries) {
      for (const [key, value] of growth) total.set(key, (total.get(key) ?? 0) + value);
    }
    return total;
  }
}
