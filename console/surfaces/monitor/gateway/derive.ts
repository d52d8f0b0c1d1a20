import { keyOfLabels, pick, type Labels } from '../labels.js';
import type { Measure } from '../measure.js';
import type { Derivation, Panel, Part } from '../panels/panel.js';
import { CounterGrowth } from './counter-growth.js';
import type { Sample } from './metric-text.js';
import { histogramQuantile, type Bucket } from '../../../../src/telemetry/quantile.js';
import { RateWindow } from './rate-window.js';

export type DerivedPanel = Required<Pick<Panel, 'id' | 'derivation'>>;

/** Window of rates and quantiles: with less, a quiet service has none; with more, they are late. */
const WINDOW_S = 60;

/** Makes the panels' values of one scrape after the other. */
export class Deriver {
  readonly #growth = new CounterGrowth();
  readonly #window = new RateWindow(WINDOW_S);
  readonly #counters: ReadonlySet<string>;
  #lastMs: number | undefined;

  constructor(private readonly panels: readonly DerivedPanel[]) {
    this.#counters = new Set(panels.flatMap(({ derivation }) => countersOf(derivation)));
  }

  /** @param nowMs of the scrape; one of the same time as the one before is of no use, and left out */
  next(samples: readonly Sample[], nowMs: number): Measure[] {
    if (nowMs === this.#lastMs) return [];
    const counters = samples.filter(({ name }) => this.#counters.has(name));
    const keyed = new Map(counters.map((sample) => [keyOf(sample), sample]));
    const growth = this.#growth.since(new Map([...keyed].map(([key, { value }]) => [key, value])));
    if (this.#lastMs !== undefined && nowMs > this.#lastMs) {
      this.#window.push(growth, (nowMs - this.#lastMs) / 1000);
    }
    this.#lastMs = nowMs;
    const total = this.#window.growth();
    const grown = counters.map((sample) => ({
      ...sample,
      value: total.get(keyOf(sample)) ?? 0,
    }));
    const input: Input = {
      now: byName(samples),
      grown: byName(grown),
      elapsedS: this.#window.elapsedS,
      unixS: nowMs / 1000,
    };
    return this.panels.flatMap(({ id, derivation }) =>
      derive(derivation, input)
        .filter(({ value }) => Number.isFinite(value))
        .map(({ labels, value }) => ({ panel: id, labels, value })),
    );
  }
}

type ByName = ReadonlyMap<string, readonly Sample[]>;

interface Input {
  readonly now: ByName;
  /** Growth of counters within the window. */
  readonly grown: ByName;
  /** 0 before the second scrape. */
  readonly elapsedS: number;
  readonly unixS: number;
}

interface Line {
  readonly labels: Labels;
  readonly value: number;
}

function derive(derivation: Derivation, input: Input): Line[] {
  const { now, grown, elapsedS, unixS } = input;
  switch (derivation.kind) {
    case 'gauge':
      return fold(derivation.parts, derivation.by, now, derivation.fold);
    case 'age':
      return moments(derivation.part, derivation.by, now).map(({ labels, value }) => ({
        labels,
        value: unixS - value,
      }));
    case 'until':
      return moments(derivation.part, derivation.by, now).map(({ labels, value }) => ({
        labels,
        value: value - unixS,
      }));
    case 'rate':
      return elapsedS === 0 ? [] : rates(derivation, grown, elapsedS);
    case 'share':
      return elapsedS === 0 ? [] : share(derivation.part, grown);
    case 'quantiles':
      return elapsedS === 0 ? [] : quantiles(derivation, grown);
  }
}

function rates(
  { parts, by }: Extract<Derivation, { kind: 'rate' }>,
  grown: ByName,
  elapsedS: number,
): Line[] {
  const lines = fold(parts, by, grown, 'sum');
  // A counter that is not there has counted nothing yet.
  const shown = lines.length === 0 && by.length === 0 ? [{ labels: {}, value: 0 }] : lines;
  return shown.map(({ labels, value }) => ({ labels, value: value / elapsedS }));
}

function share(part: Part, grown: ByName): Line[] {
  const all = fold([{ of: part.of }], [], grown, 'sum')[0]?.value ?? 0;
  const some = fold([part], [], grown, 'sum')[0]?.value ?? 0;
  return [{ labels: {}, value: all === 0 ? 0 : some / all }];
}

function quantiles(
  { part, by, quantiles: wanted }: Extract<Derivation, { kind: 'quantiles' }>,
  grown: ByName,
): Line[] {
  const groups = new Map<string, { labels: Labels; buckets: Bucket[] }>();
  const buckets = fold([{ ...part, of: `${part.of}_bucket` }], [...by, 'le'], grown, 'sum');
  for (const { labels, value } of buckets) {
    const { le = '', ...others } = labels;
    const key = keyOfLabels(others);
    const group = groups.get(key) ?? { labels: others, buckets: [] };
    group.buckets.push({ le: le === '+Inf' ? Infinity : Number(le), count: value });
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ labels, buckets: found }) =>
    wanted.flatMap((quantile) => {
      const value = histogramQuantile(quantile, found);
      return value === undefined
        ? []
        : [{ labels: wanted.length === 1 ? labels : withQuantile(labels, quantile), value }];
    }),
  );
}

function withQuantile(labels: Labels, quantile: number): Labels {
  return { ...labels, quantile: String(quantile) };
}

/** A moment of 0 has not been yet. */
function moments(part: Part, by: readonly string[], now: ByName): Line[] {
  return fold([part], by, now, 'max').filter(({ value }) => value > 0);
}

const FOLDS = {
  sum: (a: number, b: number) => a + b,
  max: (a: number, b: number) => Math.max(a, b),
  min: (a: number, b: number) => Math.min(a, b),
};

function fold(
  parts: readonly Part[],
  by: readonly string[],
  samples: ByName,
  how: keyof typeof FOLDS,
): Line[] {
  const lines = new Map<string, { labels: Labels; value: number }>();
  for (const part of parts) {
    for (const sample of samples.get(part.of) ?? []) {
      if (!isIn(part, sample)) continue;
      const labels = { ...pick(sample.labels, by), ...part.labels };
      const key = keyOfLabels(labels);
      const line = lines.get(key);
      if (line === undefined) lines.set(key, { labels, value: sample.value });
      else line.value = FOLDS[how](line.value, sample.value);
    }
  }
  return [...lines.values()];
}

function isIn({ where }: Part, { labels }: Sample): boolean {
  return where === undefined || where.value.test(labels[where.label] ?? '');
}

function countersOf(derivation: Derivation): string[] {
  switch (derivation.kind) {
    case 'rate':
      return derivation.parts.map(({ of }) => of);
    case 'share':
      return [derivation.part.of];
    case 'quantiles':
      return [`${derivation.part.of}_bucket`];
    default:
      return [];
  }
}

function byName(samples: readonly Sample[]): ByName {
  const found = new Map<string, Sample[]>();
  for (const sample of samples) {
    const list = found.get(sample.name);
    if (list === undefined) found.set(sample.name, [sample]);
    else list.push(sample);
  }
  return found;
}

function keyOf({ name, labels }: Sample): string {
  return `${name} ${keyOfLabels(labels)}`;
}
