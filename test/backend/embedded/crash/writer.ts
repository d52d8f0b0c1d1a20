import { hash } from 'node:crypto';
import { openSync } from 'node:fs';
import type { CopyOutcome, RemovedManifest, Segment } from '../../../../src/backend/backend.js';
import { BackendError } from '../../../../src/backend/errors.js';
import { openEmbeddedStore } from '../../../../src/backend/embedded/index.js';
import { CONTEXT, inputOf, objectRef, PARTS, seededBytes } from '../support.js';
import { type Content, JournalWriter, type Version } from './journal.js';

/**
 * A process that writes until it is killed: `writer.js <directory> <journal> <writer> <first seed>`.
 * It puts, copies and deletes objects, large ones among them, and reports to its parent how many
 * operations were acknowledged.
 */

const LANES = 6;
const NAMES_PER_LANE = 5;
const SHARED_NAMES = 3;
const KIB = 1024;

let acknowledged = 0;

/** The versions that a lane has at its names since it began: nobody else writes them. */
type Lane = Map<string, Version>;

async function work(
  names: readonly string[],
  own: boolean,
  lane: Lane = new Map(),
): Promise<never> {
  for (;;) {
    const seed = nextSeed();
    const name = names[seed % names.length] ?? '';
    const source = own && seed % 4 === 1 ? names.find((each) => lane.has(each)) : undefined;
    const content = contentOf(seed, source === undefined ? undefined : lane.get(source));
    journal.begin(name, content);
    const removed = await apply(name, content, source);
    journal.acknowledged(name);
    if (content === 'absent') lane.delete(name);
    else lane.set(name, content);
    process.send?.({ acknowledged: ++acknowledged });
    if (removed !== undefined) await removeSegments(removed);
  }
}

function contentOf(seed: number, copied: Version | undefined): Content {
  if (copied !== undefined) return copied;
  return seed % 5 === 0 ? 'absent' : { size: sizeOf(seed), seed };
}

/** @returns the large object that is not there any more */
async function apply(
  name: string,
  content: Content,
  source: string | undefined,
): Promise<RemovedManifest | undefined> {
  if (content === 'absent') return remove(name);
  if (source !== undefined) {
    const copied = await store.copyObject(CONTEXT, objectRef(source), objectRef(name), {});
    return replacedBy(copied);
  }
  const { size, seed } = content;
  const bytes = seededBytes(size, seed);
  const metadata = { seed: String(seed) };
  if (seed % 3 === 0) return putLarge(name, bytes, metadata);
  return replacedBy(await store.putObject(CONTEXT, objectRef(name), inputOf(bytes, { metadata })));
}

async function remove(name: string): Promise<RemovedManifest | undefined> {
  try {
    const removed = await store.deleteObject(CONTEXT, objectRef(name));
    return removed.outcome === 'deleted' ? removed.removedManifest : undefined;
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchObject') return undefined;
    throw error;
  }
}

/** Two segments, named by the seed: nobody else writes them. */
async function putLarge(
  name: string,
  bytes: Buffer,
  metadata: { seed: string },
): Promise<RemovedManifest | undefined> {
  const middle = Math.floor(bytes.length / 3);
  const segments: Segment[] = [];
  for (const body of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
    const object = `${metadata.seed}/${segments.length}`;
    await store.putObject(CONTEXT, { ...PARTS, object }, inputOf(body));
    const { container } = PARTS;
    segments.push({ container, object, size: body.length, etag: hash('md5', body) });
  }
  const input = { segments, etag: hash('md5', bytes), contentType: 'a/b', metadata };
  const systemMetadata = { upload: metadata.seed };
  const put = await store.putManifest(CONTEXT, objectRef(name), { ...input, systemMetadata });
  return replacedBy(put);
}

async function removeSegments({ systemMetadata }: RemovedManifest): Promise<void> {
  for (const i of [0, 1]) {
    const object = `${systemMetadata.upload ?? ''}/${i}`;
    await store.deleteObject(CONTEXT, { ...PARTS, object });
  }
}

function replacedBy(put: CopyOutcome): RemovedManifest | undefined {
  return put.outcome === 'created' ? put.replacedManifest : undefined;
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
await Promise.all([
  ...lanes.map((names) => work(names, true)),
  work(numbered('shared', SHARED_NAMES), false),
]);
