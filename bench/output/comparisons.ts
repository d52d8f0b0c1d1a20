import { ratios, spreadOf, type Spread } from '../measure/statistics.js';
import { micros, ratio, significant } from './format.js';
import type { Results, RowResult, SliceResult } from './results.js';
import { summarise } from './summary.js';
import { tableOf } from './text-table.js';

type Figure = (slice: SliceResult) => number | undefined;

const RATE: Figure = (slice) => slice.opsPerS;
const CPU: Figure = (slice) => slice.cpuMicrosPerOp;

/** One target against another in one row, slice by slice. */
export interface PeerRatio {
  readonly row: RowResult;
  readonly peer: RowResult;
  readonly rate: Spread | undefined;
  readonly cpu: Spread | undefined;
}

/** The first target against each other one, wherever both were measured. */
export function peerRatios(results: Results): PeerRatio[] {
  const [first, ...others] = results.targets.map(({ name }) => name);
  return results.rows
    .filter((row) => row.target === first)
    .flatMap((row) =>
      others.flatMap((name) => {
        const peer = results.rows.find((other) => other.target === name && isSameLine(row, other));
        if (peer === undefined || peer.slices.length === 0 || row.slices.length === 0) return [];
        return [{ row, peer, rate: ratioOf(row, peer, RATE), cpu: ratioOf(row, peer, CPU) }];
      }),
    );
}

function ratioOf(row: RowResult, peer: RowResult, figure: Figure): Spread | undefined {
  return ratios(row.slices.map(figure), peer.slices.map(figure));
}

function isSameLine(a: RowResult, b: RowResult): boolean {
  return a.row === b.row && a.concurrency === b.concurrency;
}

export function peerTable(results: Results): string[] {
  const first = results.targets[0]?.name ?? '';
  const rows = peerRatios(results).map(({ row, peer, rate, cpu }) => [
    lineName(row),
    peer.target,
    rate === undefined ? '-' : ratio(rate),
    cpu === undefined ? '-' : ratio(cpu),
  ]);
  if (rows.length === 0) return [];
  return [
    `${first} against its peers, slice by slice: median (min-max); of CPU, less is better`,
    ...tableOf(['row', 'peer', 'ops/s', 'CPU/op'], rows),
  ];
}

/** CPU of each group of processes, where a target has several: a gateway and its store. */
export function groupTable(results: Results): string[] {
  const lines = results.rows.flatMap((row) => {
    const names = Object.keys(row.slices[0]?.cpuMicrosPerOpByGroup ?? {});
    if (names.length < 2) return [];
    return [
      [
        `${lineName(row)} ${row.target}`,
        ...names.map((name) => {
          const figures = row.slices.map((slice) => slice.cpuMicrosPerOpByGroup[name] ?? 0);
          return `${name} ${micros(spreadOf(figures)?.median ?? NaN)}`;
        }),
      ],
    ];
  });
  if (lines.length === 0) return [];
  const width = Math.max(...lines.map((line) => line.length - 1));
  const headings = ['CPU per operation', ...Array.from({ length: width }, () => '')];
  return tableOf(headings, lines);
}

/** One line of this run and the same of another. */
export interface BaseRatio {
  readonly row: RowResult;
  readonly base: RowResult;
}

export function baseRatios(now: Results, base: Results): BaseRatio[] {
  return now.rows.flatMap((row) => {
    const found = base.rows.find((other) => other.target === row.target && isSameLine(row, other));
    const isBoth = found !== undefined && found.slices.length > 0 && row.slices.length > 0;
    return isBoth ? [{ row, base: found }] : [];
  });
}

export function baseTable(now: Results, base: Results): string[] {
  const lines = baseRatios(now, base).map(({ row, base: before }) => {
    const [own, other] = [summarise(row), summarise(before)];
    const p99 = [before.latencyMs?.p99, row.latencyMs?.p99] as const;
    return [
      `${lineName(row)} ${row.target}`,
      ...change(other.opsPerS?.median, own.opsPerS?.median, significant),
      ...change(other.cpuMicros?.median, own.cpuMicros?.median, micros),
      ...change(p99[0], p99[1], significant),
    ];
  });
  if (lines.length === 0) return ['nothing of this run is in the other one'];
  const headings = ['row', 'ops/s', 'ratio', 'CPU/op', 'ratio', 'p99 ms', 'ratio'];
  return [`against the run of ${base.startedAt}: before → now`, ...tableOf(headings, lines)];
}

function change(
  before: number | undefined,
  now: number | undefined,
  format: (value: number) => string,
): [string, string] {
  if (before === undefined || now === undefined) return ['-', '-'];
  return [`${format(before)} → ${format(now)}`, before === 0 ? '-' : significant(now / before)];
}

export function lineName({ row, concurrency }: RowResult): string {
  return `${row} c=${concurrency}`;
}
