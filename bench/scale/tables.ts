import { ratios, spreadOf } from '../measure/statistics.js';
import { micros, millis, ratio, significant } from '../output/format.js';
import { legend, RowsTable } from '../output/rows-table.js';
import { summarise } from '../output/summary.js';
import { tableOf } from '../output/text-table.js';
import type {
  Growth,
  GrowthCurve,
  HeldConnections,
  ListenerRun,
  ScaleResults,
  StorageRun,
} from './results.js';
import { EXAMPLE_HOST, EXAMPLE_LOAD, sizeFor, type LoadLine } from './sizing.js';

/** Sections of text: what is printed, and what stands in the report. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export function sectionsOf(results: ScaleResults): Section[] {
  return [
    ...results.listeners.map(listenersSection),
    gainSection(results.listeners),
    ...results.growth.map(growthSection),
    heldSection(results.held),
    storageSection(results.storage ?? []),
    sizingSection(results.listeners),
  ].filter(({ lines }) => lines.length > 0);
}

function listenersSection(run: ListenerRun): Section {
  const table = new RowsTable(['ringway']);
  const shares = run.serverProcessors.join() === run.loadProcessors.join();
  const load = shares ? 'shared with the load' : `load on ${run.loadProcessors.join(',')}`;
  return {
    title: `${run.listeners} listeners on processors ${run.serverProcessors.join(',')}, ${load}`,
    lines: [table.header, ...run.rows.map((row) => table.line(row)), ...legend(run.rows)],
  };
}

/** Cost and rate of each number of listeners beside those of the first. */
function gainSection(runs: readonly ListenerRun[]): Section {
  const [first, ...others] = runs;
  const lines = (first?.rows ?? []).flatMap((base) =>
    others.flatMap(({ listeners, rows }) => {
      const row = rows.find((other) => other.row === base.row);
      if (row === undefined) return [];
      const [before, now] = [summarise(base), summarise(row)];
      return [
        [
          base.row,
          String(listeners),
          quotient(now.opsPerS?.median, before.opsPerS?.median),
          quotient(now.cpuMicros?.median, before.cpuMicros?.median),
        ],
      ];
    }),
  );
  if (lines.length === 0) return { title: '', lines: [] };
  return {
    title: `Against ${first?.listeners ?? 1} listener`,
    lines: tableOf(['row', 'listeners', 'ops/s', 'CPU/op'], lines),
  };
}

function quotient(now: number | undefined, before: number | undefined): string {
  return now === undefined || before === undefined ? '-' : significant(now / before);
}

function growthSection({ title, unit, curves }: Growth): Section {
  const sizes = curves[0]?.points.map(({ size }) => size) ?? [];
  const lines = curves.map((curve) => [
    curve.operation,
    ...curve.points.map((point) => micros(spreadOf(point.cpuMicrosPerOp)?.median ?? NaN)),
    significant(factorOf(curve)),
  ]);
  return {
    title: `${title}: CPU of the service per operation`,
    lines: [
      ...tableOf(['operation', ...sizes.map((size) => `${size} ${unit}`), 'last/first'], lines),
      ...curves.map(({ operation, title: what }) => `${operation}: ${what}`),
    ],
  };
}

/** How many times as much it costs at the largest size. */
export function factorOf({ points }: GrowthCurve): number {
  const at = (index: number) => spreadOf(points.at(index)?.cpuMicrosPerOp ?? [])?.median ?? NaN;
  return at(-1) / at(0);
}

function heldSection(held: readonly HeldConnections[]): Section {
  const rows = held.map((one) => {
    const own = one.anonymousBytesAfter - one.anonymousBytesBefore;
    const kib = (bytes: number) => significant(bytes / 1024 / one.connections);
    return [one.kind, String(one.connections), kib(own), kib(one.kernelBytes), one.title];
  });
  const headings = ['connections', 'held', 'KiB each', 'kernel KiB', ''];
  return {
    title: 'Memory of held connections',
    lines: rows.length === 0 ? [] : tableOf(headings, rows),
  };
}

/**
 * The table shows who is busy with each number of processes: CPU of an operation times the rate is
 * how many processors a part had, and what has one for each of its processes can do no more.
 */
function storageSection(runs: readonly StorageRun[]): Section {
  const lines = runs.flatMap(({ workers, rows }) =>
    rows.map((row) => {
      const plain = rows.find((other) => other.row === row.row && other.target === 'swift');
      const rates = (of: typeof row | undefined) => of?.slices.map(({ opsPerS }) => opsPerS) ?? [];
      const toPlain = ratios(rates(row), rates(plain));
      const { opsPerS, cpuMicros } = summarise(row);
      return [
        ...[row.row, String(workers), row.target, significant(opsPerS?.median ?? NaN)],
        toPlain === undefined ? '-' : ratio(toPlain),
        row.latencyMs === undefined ? '-' : millis(row.latencyMs.p50),
        cpuMicros === undefined ? '-' : micros(cpuMicros.median),
        ...STORAGE_PARTS.map((part) => busyOf(row, part)),
      ];
    }),
  );
  const headings = ['row', 'workers', 'target', 'ops/s', 'to swift', 'p50 ms', 'CPU/op'];
  return {
    title: 'Reads from Swift, by the number of processes of each storage server',
    lines:
      lines.length === 0
        ? []
        : [
            ...tableOf([...headings, 'gateway', 'proxy', 'storage'], lines),
            'gateway, proxy, storage: CPU of an operation, and how many processors that was at this rate',
          ],
  };
}

/** The gateway's group has the name of its target. */
const STORAGE_PARTS = [/^ringway/, /^proxy$/, /^storage$/];

function busyOf({ slices }: StorageRun['rows'][number], part: RegExp): string {
  const found = slices.flatMap(({ opsPerS, cpuMicrosPerOpByGroup }) =>
    Object.entries(cpuMicrosPerOpByGroup)
      .filter(([name]) => part.test(name))
      .map(([, perOp]) => ({ perOp, busy: (perOp * opsPerS) / 1e6 })),
  );
  const perOp = spreadOf(found.map((each) => each.perOp));
  const busy = spreadOf(found.map((each) => each.busy));
  if (perOp === undefined || busy === undefined) return '-';
  return `${micros(perOp.median)} (${significant(busy.median)})`;
}

/** Hosts for the example load, from the figures of the run with the most listeners. */
function sizingSection(runs: readonly ListenerRun[]): Section {
  const rows = runs.at(-1)?.rows ?? [];
  const load = rows.flatMap((row): LoadLine[] => {
    const perSecond = EXAMPLE_LOAD[row.row];
    const cpuMicrosPerOp = summarise(row).cpuMicros?.median;
    if (perSecond === undefined || cpuMicrosPerOp === undefined) return [];
    return [{ operation: row.row, perSecond, cpuMicrosPerOp, bytes: row.bytes }];
  });
  if (load.length === 0) return { title: '', lines: [] };
  const { busyProcessors, gbitPerS, hostsForCpu, hostsForNetwork, hosts } = sizeFor(
    load,
    EXAMPLE_HOST,
  );
  const { processors, networkGbitPerS, utilisation } = EXAMPLE_HOST;
  return {
    title: `An example load on hosts of ${processors} processors and ${networkGbitPerS} Gbit/s, used to ${utilisation * 100} %`,
    lines: [
      ...tableOf(
        ['operation', 'per second', 'CPU/op', 'processors', 'Gbit/s'],
        load.map((line) => [
          line.operation,
          String(line.perSecond),
          micros(line.cpuMicrosPerOp),
          significant((line.perSecond * line.cpuMicrosPerOp) / 1e6),
          significant((line.perSecond * line.bytes * 8) / 1e9),
        ]),
      ),
      `in all ${significant(busyProcessors)} processors and ${significant(gbitPerS)} Gbit/s: ${hostsForCpu} hosts for CPU, ${hostsForNetwork} for network; ${hosts} with one to spare`,
    ],
  };
}
