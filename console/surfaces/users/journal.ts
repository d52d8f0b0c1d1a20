import path from 'node:path';
import { z } from 'zod';
import { readJson, removeDurably, writeDurably } from '../../../src/lib/durable-file.js';

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/);
const RECORD = z.strictObject({
  v: z.literal(1),
  target: z.string(),
  nodes: z.array(
    z.strictObject({
      node: z.string(),
      before_sha256: SHA256,
      after_sha256: SHA256,
      stamp: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
    }),
  ),
});

/** A change under way: what it takes to take it back. No key is in it. */
export type JournalRecord = z.infer<typeof RECORD>;

const FILE = 'users-change.json';

/** The change that is under way, on disk before it begins, so that a crash can be taken back. */
export class Journal {
  readonly #file: string;

  constructor(directory: string) {
    this.#file = path.join(directory, FILE);
  }

  /** @throws system errors; Error for a file that this console has not written */
  async read(): Promise<JournalRecord | undefined> {
    const record = await readJson(this.#file);
    return record === undefined ? undefined : RECORD.parse(record);
  }

  begin(record: JournalRecord): Promise<void> {
    return writeDurably(this.#file, JSON.stringify(record));
  }

  end(): Promise<void> {
    return removeDurably(this.#file);
  }
}
