import { count, flag, list, seconds, type Flag, type FlagGroup } from '../options/flags.js';
import { renderFlags } from '../options/help.js';
import { UsageError } from '../options/options.js';
import { readFlags } from '../options/read-flags.js';
import { FlagValues } from '../options/values.js';

/** Studies that can be measured alone. */
export const STUDIES = [
  'listeners',
  'keys',
  'versions',
  'parts',
  'connections',
  'storage-workers',
] as const;
export type StudyName = (typeof STUDIES)[number];

/** A cluster has to be installed, which not every machine has: it is run when it is named. */
const WHEN_NAMED: StudyName = 'storage-workers';

export interface ScaleOptions {
  readonly studies: readonly StudyName[];
  readonly slices: number;
  readonly seconds: number;
  /** Numbers of listeners. */
  readonly listeners: readonly number[];
  /** The largest bucket, key and upload. */
  readonly keys: number;
  readonly versions: number;
  readonly parts: number;
  readonly connections: number;
  /** Numbers of processes of each of Swift's storage servers. */
  readonly storageWorkers: readonly number[];
  /** Seconds of warm-up at least, for each way of `storage-workers`. */
  readonly warmUp: number;
  readonly jsonFile: string | undefined;
  readonly reportFile: string | undefined;
  readonly chartsFolder: string | undefined;
}

const GROUPS: readonly FlagGroup[] = [
  {
    title: 'What is run',
    flags: [
      list(
        'only',
        'STUDY,…',
        `names among ${STUDIES.join(', ')}`,
        `of ${STUDIES.join(', ')} (all but the last, which needs Swift)`,
      ),
      { name: 'quick', help: 'short slices, and a tenth of the sizes' },
      count('slices', 1, 100, 'slices of each figure (3)'),
      seconds('seconds', 0.1, 600, 'length of a slice (1.5; quick: 0.4)'),
      list(
        'listeners',
        'N,…',
        'integers from 1 to 256 with commas between',
        'numbers of listeners (1, and one for each processor)',
      ),
      count('keys', 1000, 100_000_000, 'of the largest bucket (1000000)'),
      count('versions', 10, 50_000, 'of one key (10000)'),
      count('parts', 10, 10_000, 'of one upload (10000)'),
      count('connections', 10, 100_000, 'that are held at once (5000)'),
      list(
        'storage-workers',
        'N,…',
        'integers from 1 to 64 with commas between',
        'processes of each of Swift’s storage servers (1,2,4)',
      ),
      seconds(
        'warm-up',
        0,
        3600,
        'seconds at least before the slices of storage-workers (15; quick: 0)',
      ),
    ],
  },
  {
    title: 'Output',
    flags: [
      flag('json', 'FILE', 'a path', 'all figures'),
      flag('report', 'FILE', 'a path', 'one HTML page with charts'),
      flag('charts', 'DIR', 'a folder', 'the charts as SVG files'),
      { name: 'help', help: 'this text' },
    ],
  },
];

const FLAGS: readonly Flag[] = GROUPS.flatMap(({ flags }) => flags);

/**
 * @param args behind `scale`
 * @param processors of this machine
 * @returns `help` when that is asked for
 * @throws UsageError with every mistake
 */
export function parseScaleOptions(
  args: readonly string[],
  processors: number,
): ScaleOptions | 'help' {
  const { given, problems } = readFlags(args, FLAGS);
  if (given.has('help')) return 'help';
  const values = new FlagValues(given, FLAGS);
  const isQuick = values.has('quick');
  const share = isQuick ? 10 : 1;
  const options: ScaleOptions = {
    studies: values.oneOf('only', STUDIES) ?? STUDIES.filter((name) => name !== WHEN_NAMED),
    slices: values.integer('slices', 1, 100) ?? 3,
    seconds: values.number('seconds', 0.1, 600) ?? (isQuick ? 0.4 : 1.5),
    listeners: values.integers('listeners', 1, 256) ?? [...new Set([1, processors])],
    keys: values.integer('keys', 1000, 100_000_000) ?? 1_000_000 / share,
    versions: values.integer('versions', 10, 50_000) ?? 10_000 / share,
    parts: values.integer('parts', 10, 10_000) ?? 10_000 / share,
    connections: values.integer('connections', 10, 100_000) ?? 5000 / share,
    storageWorkers: values.integers('storage-workers', 1, 64) ?? [1, 2, 4],
    warmUp: values.number('warm-up', 0, 3600) ?? (isQuick ? 0 : 15),
    jsonFile: values.text('json'),
    reportFile: values.text('report'),
    chartsFolder: values.text('charts'),
  };
  problems.push(...values.problems);
  if (problems.length > 0) throw new UsageError(problems);
  return options;
}

export function renderScaleHelp(): string {
  return `Measures how costs grow with listeners, sizes and connections: see docs/scaling.md.

  npm run bench -- scale [flags]

${renderFlags(GROUPS)}

Exit codes are those of npm run bench.
`;
}
