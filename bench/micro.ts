import { TextTable } from './output/text-table.js';
import { micros, significant } from './output/format.js';
import { measure, type Cost } from './micro/measure.js';
import type { Row, Subject } from './micro/subject.js';

/**
 * Micro-benchmarks: the cost of single functions, one subject after the other:
 *
 *   node dist/bench/micro.js [subject…] [part of a row's name…]
 *
 * All subjects without one; all rows without a part. Files lie in the temporary folder: set TMPDIR
 * to the disk to be measured.
 */
const SUBJECTS: Readonly<Record<string, () => Promise<{ open(): Promise<Subject> }>>> = {
  auth: () => import('./micro/auth.js'),
  digest: () => import('./micro/digest.js'),
  edge: () => import('./micro/edge.js'),
  store: () => import('./micro/store.js'),
  'swift-transport': () => import('./micro/swift-transport.js'),
  xml: () => import('./micro/xml.js'),
};

const TABLE = new TextTable([
  { heading: '', width: 44, align: 'left' },
  ...['CPU', 'least', 'loop busy', 'longest turn', 'per second', 'MB/s'].map(
    (heading) => ({ heading, width: Math.max(8, heading.length), align: 'right' }) as const,
  ),
]);

function line({ name, bytes }: Row, cost: Cost, isOwnProcess: boolean): string {
  const { cpuUs, leastCpuUs, loopUs, longestTurnMs, perSecond } = cost;
  return TABLE.line([
    name,
    ...[cpuUs, leastCpuUs].map(micros),
    isOwnProcess ? micros(loopUs) : '',
    isOwnProcess && longestTurnMs > 0 ? `${significant(longestTurnMs)} ms` : '',
    significant(perSecond),
    bytes === undefined ? '' : significant((perSecond * bytes) / 1e6),
  ]);
}

const words = process.argv.slice(2);
const named = words.filter((word) => Object.hasOwn(SUBJECTS, word));
const parts = words.filter((word) => !named.includes(word));
for (const [name, load] of Object.entries(SUBJECTS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const subject = await (await load()).open();
  console.log(`\n${name}\n${TABLE.header}`);
  try {
    for (const all of subject.steps) {
      const step = all.filter((row) => parts.every((part) => row.name.includes(part)));
      const costs = step.length === 0 ? [] : await measure(step, subject.cpuUs);
      for (const [at, cost] of costs.entries()) {
        const row = step[at];
        if (row !== undefined) console.log(line(row, cost, subject.cpuUs === undefined));
      }
    }
  } finally {
    await subject.close();
  }
}
