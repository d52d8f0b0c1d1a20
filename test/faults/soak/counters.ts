/** The lines of /metrics that Prometheus takes for counters. */
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

  /** The series of one name that have counted something, by the value of their label. */
  byLabel(name: string): Record<string, number> {
    const found: Record<string, number> = {};
    for (const [series, value] of this.#last) {
      const label = series.startsWith(`${name}{`) ? /"(.*)"/.exec(series)?.[1] : undefined;
      if (label !== undefined && value > 0) found[label] = value;
    }
    return found;
  }
}
