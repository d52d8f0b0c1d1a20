/** What Prometheus takes for a counter, of the text that /metrics answers with. */
const SAMPLE = /^(\w+?(?:_total|_count|_sum|_bucket)(?:\{[^}]*\})?) (\S+)$/gm;

/** Looks on while counters are scraped, as Prometheus does: a counter never goes back or away. */
export class CounterWatch {
  readonly #last = new Map<string, number>();
  readonly problems: string[] = [];
  scrapes = 0;

  scraped(text: string): void {
    this.scrapes += 1;
    const seen = new Set<string>();
    for (const [, series = '', value] of text.matchAll(SAMPLE)) {
      seen.add(series);
      const now = Number(value);
      const before = this.#last.get(series) ?? 0;
      if (now < before) this.problems.push(`${series} went from ${before} to ${now}`);
      this.#last.set(series, now);
    }
    for (const series of this.#last.keys()) {
      if (seen.has(series)) continue;
      this.problems.push(`${series} went away`);
      this.#last.delete(series);
    }
  }

  /** The sum of all series of one name. */
  total(name: string): number {
    let sum = 0;
    for (const [series, value] of this.#last) {
      if (series === name || series.startsWith(`${name}{`)) sum += value;
    }
    return sum;
  }
}
