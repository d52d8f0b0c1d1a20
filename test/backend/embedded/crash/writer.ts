import { openSync } from 'node:fs';
import { BackendError } from '../../../../src/backend/errors.js';
import { openEmbeddedStore, type EmbeddedStore } from '../../../../src/backend/embedded/index.js';
import { CONTEXT, inputOf, objectRef, seededBytes } from '../support.js';
import { type Content, JournalWriter } from './journal.js';

/**
 * A process that writes until it is killed: `writer.js <directory> <journal> <writer> <first seed>`.
 * It reports to its parent how many operations were acknowledged.
 */

const LANES = 6;
const NAMES_PER_LANE = 5;
const SHARED_NAMES = 3;
const KIB = 1024;

let acknowledged = 0;

async function work(
  store: EmbeddedStore,
  journal: JournalWriter,
  names: readonly string[],
  nextSeed: () => number,
): Promise<never> {
  for (;;) {
    const seed = nextSeed();
    const name = names[seed % names.length] ?? '';
    const content: Content = seed % 5 === 0 ? 'absent' : { size: sizeOf(seed), seed };
    journal.begin(name, content);
    await apply(store, name, content);
    journal.acknowledged(name);
    process.send?.({ acknowledged: ++acknowledged });
  }
}

async function apply(store: EmbeddedStore, name: string, content: Content): Promise<void> {
  if (content === 'absent') {
    try {
      await store.deleteObject(CONTEXT, objectRef(name));
    } catch (error) {
      if (!(error instanceof BackendError) || error.code !== 'NoSuchObject') throw error;
    }
    return;
  }
  const { size, seed } = content;
  const metadata = { seed: String(seed) };
  await store.putObject(CONTEXT, objectRef(name), inputOf(seededBytes(size, seed), { metadata }));
}

/** Mostly small; a third are files, so that a kill often finds one half written. */
function sizeOf(seed: number): number {
  const mixed = Math.imul(seed, 2246822519) >>> 0;
  if (mixed % 3 === 0) return 65 * KIB + (mixed % (700 * KIB));
  return mixed % (8 * KIB);
}

const [directory = '', journalPath = '', writer = '', firstSeed = ''] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory, unlinkDelayMs: Number(firstSeed) % 20 });
const journal = new JournalWriter(openSync(journalPath, 'a'));
let seed = Number(firstSeed);
const nextSeed = (): number => ++seed;
const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}/${i}`);
const lanes = Array.from({ length: LANES }, (_, lane) =>
  numbered(`own/${writer}/${lane}`, NAMES_PER_LANE),
);
await Promise.all(
  [...lanes, numbered('shared', SHARED_NAMES)].map((names) =>
    work(store, journal, names, nextSeed),
  ),
);
