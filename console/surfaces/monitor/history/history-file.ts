import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../../../src/lib/durable-file.js';
import { emptySeries, SERIES_MAX, type History, type Kept } from './history.js';
import { RESOLUTIONS } from './tier.js';

const FILE = 'monitor-history.bin';
const MAGIC = 'RWMH0001';
const HEAD_BYTES = MAGIC.length + 4;
/** Nothing that we wrote is larger. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

const INDEX = z.strictObject({
  resolutions: z.array(z.strictObject({ stepS: z.number(), slots: z.number() })),
  series: z
    .array(
      z.strictObject({
        panel: z.string(),
        labels: z.record(z.string(), z.string()),
        lastValue: z.number(),
        lastMs: z.number(),
        latest: z.array(z.int().min(-1)).length(RESOLUTIONS.length),
      }),
    )
    .max(SERIES_MAX),
});

/**
 * Writes a history beside the former file, and puts it in its place when it is on the disk:
 * magic, length of the index, index as JSON, then the slots of each tier of each series.
 */
export async function saveHistory(history: History, stateDir: string): Promise<void> {
  const all = [...history.all()];
  const index = JSON.stringify({
    resolutions: RESOLUTIONS,
    series: all.map(({ panel, labels, lastValue, lastMs, tiers }) => ({
      panel,
      labels,
      lastValue,
      lastMs,
      latest: tiers.map((tier) => tier.latest),
    })),
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(index));
  const slots = all.flatMap(({ tiers }) => tiers.map(({ values }) => bytesOf(values)));
  const file = path.join(stateDir, FILE);
  await writeDurably(file, [Buffer.from(MAGIC), length, Buffer.from(index), ...slots]);
}

/**
 * Takes over what the file has; nothing when there is none.
 * @throws Error when the file is not whole, or of another version; the history is as before then
 */
export async function restoreHistory(
  history: History,
  stateDir: string,
  nowMs: number,
): Promise<void> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path.join(stateDir, FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  // Series ahead of a clock that was put back would keep everything new out.
  for (const series of parse(bytes)) if (series.lastMs <= nowMs) history.restore(series);
}

function parse(bytes: Buffer): Kept[] {
  if (bytes.length > FILE_BYTES_MAX || bytes.subarray(0, MAGIC.length).toString() !== MAGIC) {
    throw new Error('this is no history');
  }
  let at = HEAD_BYTES + bytes.readUInt32BE(MAGIC.length);
  const index = INDEX.parse(JSON.parse(bytes.subarray(HEAD_BYTES, at).toString()));
  if (JSON.stringify(index.resolutions) !== JSON.stringify(RESOLUTIONS)) {
    throw new Error('the history has other resolutions');
  }
  return index.series.map(({ panel, labels, lastValue, lastMs, latest }) => {
    const series = emptySeries(panel, labels);
    series.tiers.forEach((tier, number) => {
      const length = tier.values.byteLength;
      if (at + length > bytes.length) throw new Error('the history is cut off');
      const values = new Float64Array(tier.values.length);
      bytesOf(values).set(bytes.subarray(at, at + length));
      tier.restore(latest[number] ?? -1, values);
      at += length;
    });
    series.lastValue = lastValue;
    series.lastMs = lastMs;
    return series;
  });
}

function bytesOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
