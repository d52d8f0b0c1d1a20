import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

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

  constructor(private readonly directory: string) {
    this.#file = path.join(directory, FILE);
  }

  /** @throws system errors; Error for a file that this console has not written */
  async read(): Promise<JournalRecord | undefined> {
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return RECORD.parse(JSON.parse(text));
  }

  async begin(record: JournalRecord): Promise<void> {
    const temporary = `${this.#file}.tmp`;
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify(record));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.#file);
    await this.#syncDirectory();
  }

  async end(): Promise<void> {
    await rm(this.#file, { force: true });
    await this.#syncDirectory();
  }

  async #syncDirectory(): Promise<void> {
    const handle = await open(this.directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
