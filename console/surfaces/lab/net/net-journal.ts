import { existsSync } from 'node:fs';
import process from 'node:process';
import type { Chained, ChainFormat } from '../../../../src/lib/chained-log/chain-files.js';
import { ChainedLog, readLatest } from '../../../../src/lib/chained-log/chained-log.js';
import { verifyChain, type ChainVerdict } from '../../../../src/lib/chained-log/verify-chain.js';
import type { RevertOutcome, RevertReport } from './fault.js';

/**
 * A line of the net's journal. The journal of runs has one writer, the console; this one has the
 * dead-men too, who write while there is no console.
 */
export interface NetEntry {
  readonly v: 1;
  /** The id of the fault's run. */
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  /** `failed`: something could not be taken back, and is tried again. */
  readonly state: 'armed' | 'reverting' | 'reverted' | 'failed' | 'dropped';
  readonly by: RevertReport['by'];
  readonly pid: number;
  readonly outcomes: readonly RevertOutcome[];
}

/** A line as its writer gives it. */
export type NetLine = Omit<NetEntry, 'v' | 'pid'>;

const JOURNAL_BYTES_MAX = 4 * 1024 * 1024;
const TEXT_MAX = 1000;
const OUTCOMES_MAX = 40;

const FORMAT: ChainFormat<NetEntry> = {
  name: 'journal',
  bounded: (entry) => ({
    ...entry,
    target: entry.target.slice(0, TEXT_MAX),
    outcomes: entry.outcomes
      .slice(0, OUTCOMES_MAX)
      .map((one) => ({ ...one, text: one.text.slice(0, TEXT_MAX) })),
  }),
  dropEntry: (file, digest) => ({
    ...{ v: 1, id: '', kind: 'journal.drop', target: `${file} ${digest}`, state: 'dropped' },
    ...{ by: 'console', pid: process.pid, outcomes: [] },
  }),
  droppedDigest: ({ state, target }) =>
    state === 'dropped' ? (target.split(' ')[1] ?? '') : undefined,
};

/** Appends a line; to call with the lock of the plans. Resolves when it is on the disk. */
export async function appendToJournal(folder: string, entry: NetLine): Promise<void> {
  const log = await ChainedLog.open(folder, FORMAT, { bytesMax: JOURNAL_BYTES_MAX });
  try {
    await log.write({ v: 1, ...entry, pid: process.pid });
  } finally {
    await log.close();
  }
}

/** How a fault was taken back at last; undefined where the journal does not know of that. */
export async function reportOf(folder: string, id: string): Promise<RevertReport | undefined> {
  const [latest] = await latestEntries(folder, (one) => one.id === id && one.state === 'reverted');
  if (latest === undefined) return undefined;
  const { by, unix_s: revertedS, outcomes } = latest;
  return { by, reverted_unix_s: revertedS, outcomes };
}

/** The lines of a fault, oldest first. */
export async function journalOf(folder: string, id: string): Promise<(NetEntry & Chained)[]> {
  return (await latestEntries(folder, (one) => one.id === id, 50)).reverse();
}

/** Without the lock: who holds it may take minutes, and nothing is written here. */
async function latestEntries(
  folder: string,
  accepts: (entry: NetEntry & Chained) => boolean,
  max = 1,
): Promise<(NetEntry & Chained)[]> {
  return existsSync(folder) ? readLatest(folder, FORMAT, accepts, max) : [];
}

/** Whether the journal is as it was written. @throws system errors */
export function verifyNetJournal(folder: string): Promise<ChainVerdict> {
  return verifyChain(folder, FORMAT);
}
