import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Applied } from '../plan/make-plan.js';
import { readJson, syncFolder } from './durable.js';
import {
  ARCHIVE_FORMAT,
  ARCHIVED,
  type ArchiveEnd,
  type ArchiveEntry,
  type ArchiveHead,
} from './export.js';
import { layout } from './layout.js';

/** An archive that cannot be used, or a folder that cannot take it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

const LINE_BYTES_MAX = 4096;
/** As large as a builder may be. */
const FILE_BYTES_MAX = 1024 * 1024 * 1024;

/**
 * Makes a state directory from an archive. It is made beside its place, checked as a whole, and then
 * renamed: after a crash there is none, or this one.
 *
 * @param stateDir - a folder that is not there, or is empty
 * @returns how many files it has
 * @throws ArchiveError, system errors
 */
export async function importState(archive: string, stateDir: string): Promise<number> {
  const present = await readdir(stateDir).catch(() => []);
  if (present.length > 0) throw new ArchiveError(`${stateDir} is not empty`);
  const work = `${stateDir}.import`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  try {
    const files = await unpack(new ArchiveReader(createReadStream(archive)), work);
    await expectWhole(work);
    await rename(work, stateDir);
    await syncFolder(path.dirname(path.resolve(stateDir)));
    return files;
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
}

async function unpack(reader: ArchiveReader, work: string): Promise<number> {
  const head = (await reader.line()) as Partial<ArchiveHead>;
  if (head.ringway_deploy_state === undefined) throw new ArchiveError('it is no exported state');
  if (head.ringway_deploy_state !== ARCHIVE_FORMAT) {
    const version = JSON.stringify(head.ringway_deploy_state);
    throw new ArchiveError(`it has version ${version} of the format, expected ${ARCHIVE_FORMAT}`);
  }
  for (let files = 0; ; files += 1) {
    const before = reader.sha256();
    const entry = (await reader.line()) as Partial<ArchiveEntry & ArchiveEnd>;
    if (entry.path === undefined) {
      if (entry.files !== files || entry.sha256 !== before) {
        throw new ArchiveError('its content is not what was exported');
      }
      await reader.expectEnd();
      return files;
    }
    const { path: name, size = -1 } = entry;
    if (!ARCHIVED.test(name)) throw new ArchiveError(`it has a file that no state has: ${name}`);
    if (!Number.isInteger(size) || size < 0 || size > FILE_BYTES_MAX) {
      throw new ArchiveError(`${name} is too large, or has no size`);
    }
    await takeFile(reader, path.join(work, name), size);
  }
}

async function takeFile(reader: ArchiveReader, place: string, size: number): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const file = await open(place, 'wx', 0o600);
  const hash = createHash('sha256');
  try {
    for await (const chunk of reader.bytes(size)) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const name = path.basename(place);
  if (/^[0-9a-f]{64}$/.test(name) && hash.digest('hex') !== name) {
    throw new ArchiveError(`the content ${name} is damaged`);
  }
}

/** All that is in force is there: its builders, and the files of nodes. */
async function expectWhole(work: string): Promise<void> {
  const places = layout(work);
  const file = await readJson<{ readonly applied: Applied }>(places.applied);
  if (file === undefined) return;
  const { builders, files } = file.applied;
  const hashes = new Set(Object.values(builders));
  for (const own of Object.values(files)) {
    for (const { sha256 } of Object.values(own)) hashes.add(sha256);
  }
  for (const hash of hashes) {
    const found = await stat(path.join(places.blobs, hash.slice(0, 2), hash)).catch(
      () => undefined,
    );
    if (found === undefined) throw new ArchiveError(`the content ${hash} is missing`);
  }
}

/** Lines and contents of a stream, which is never held as a whole. */
class ArchiveReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #pending: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** SHA-256 of all that was read. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  async line(): Promise<object> {
    let end = this.#pending.indexOf(0x0a);
    while (end === -1 && this.#pending.length <= LINE_BYTES_MAX) {
      const before = this.#pending.length;
      await this.#more();
      const found = this.#pending.subarray(before).indexOf(0x0a);
      end = found === -1 ? -1 : before + found;
    }
    if (end === -1 || end > LINE_BYTES_MAX) throw new ArchiveError('it is no exported state');
    const text = this.#take(end + 1).toString('utf8');
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // The same as another kind of value.
    }
    throw new ArchiveError('it is no exported state');
  }

  /** A content of this many bytes, with the line end behind it. */
  async *bytes(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (this.#pending.length === 0) await this.#more();
      const chunk = this.#take(Math.min(left, this.#pending.length));
      left -= chunk.length;
      yield chunk;
    }
    if (this.#pending.length === 0) await this.#more();
    if (this.#take(1)[0] !== 0x0a) throw new ArchiveError('its content is not what was exported');
  }

  async expectEnd(): Promise<void> {
    const { done } = await this.#chunks.next();
    if (this.#pending.length > 0 || done !== true) {
      throw new ArchiveError('something follows its end');
    }
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done === true) throw new ArchiveError('it ends before its end: it was cut off');
    this.#pending =
      this.#pending.length === 0 ? next.value : Buffer.concat([this.#pending, next.value]);
  }
}
