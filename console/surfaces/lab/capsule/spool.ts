import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ApiError } from '../../../server/api-error.js';
import { busy } from '../ground/refusals.js';
import type { VerifiedCapsule } from '../../../../src/capsule/verify-capsule.js';

const SUFFIX = '.import';

/** A capsule on the disk, verified; its file is to be removed by {@link SpooledCapsule.remove}. */
export interface SpooledCapsule {
  readonly capsule: VerifiedCapsule;
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * Where a capsule lies that is to be imported: its manifest comes last, and nothing of it is written
 * to the store before all of it was verified. One at a time.
 */
export class ImportSpool {
  #busy = false;

  constructor(
    private readonly folder: string,
    private readonly verify: (
      source: AsyncIterable<Buffer>,
      bytesMax: number,
    ) => Promise<VerifiedCapsule>,
  ) {}

  /**
   * @param bytesMax - of the body and the segments
   * @throws ApiError busy while another capsule is here, no_space; CapsuleError
   */
  async take(body: Readable, bytesMax: number): Promise<SpooledCapsule> {
    if (this.#busy) {
      throw busy('Another capsule import is in progress. Try again in a few seconds.', 10);
    }
    this.#busy = true;
    const file = path.join(this.folder, `${randomUUID()}${SUFFIX}`);
    const remove = async (): Promise<void> => {
      await rm(file, { force: true });
      this.#busy = false;
    };
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.#removeLeftOver();
      const capsule = await this.verify(copied(body, file), bytesMax);
      return { capsule, file, remove };
    } catch (error) {
      await remove();
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      throw new ApiError('no_space', "The disk with the console's state directory is full.");
    }
  }

  /** A console that was killed left its file. */
  async #removeLeftOver(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (name.endsWith(SUFFIX)) await rm(path.join(this.folder, name), { force: true });
    }
  }
}

/** The bytes of a stream, which are in the file when the stream has ended. */
async function* copied(body: Readable, file: string): AsyncGenerator<Buffer, void, undefined> {
  const out = createWriteStream(file, { mode: 0o600, flags: 'wx' });
  const done = finished(out);
  // Awaited below, or too late where the reader ends early.
  done.catch(() => undefined);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (!out.write(chunk)) {
        await Promise.race([once(out, 'drain'), done]);
      }
      yield chunk;
    }
    out.end();
    await done;
  } finally {
    out.destroy();
  }
}
