/**
 * How much counters grew from one scrape to the next. A counter that fell began anew with its
 * process, so that all it shows is growth; one that was not there at the scrape before began at
 * nought. Counts before the first scrape are not growth.
 */
export class CounterGrowth {
  #last: ReadonlyMap<string, number> | undefined;

  /**
   * @param counters - the value of each, by whatever names it
   * @returns the growth of each since the call before; all 0 at the first
   */
  since(counters: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const last = this.#last;
    this.#last = counters;
    const growth = new Map<string, number>();
    for (const [key, value] of counters) {
      growth.set(key, last === undefined ? 0 : grown(last.get(key) ?? 0, value));
    }
    return growth;
  }
}

function grown(from: number, to: number): number {
  if (!Number.isFinite(to) || !Number.isFinite(from)) return 0;
  return to >= from ? to - from : to;
}
