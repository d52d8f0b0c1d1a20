import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Applied } from '../plan/make-plan.js';
import { readJson, syncFolder } from '../../lib/durable-file.js';
import { parseJson } from '../../lib/parse-json.js';
import {
  ARCHIVE_FORMAT,
  ARCHIVED,
  type ArchiveEnd,
  type ArchiveEntry,
  type ArchiveHead,
} from './export.js';
import { layout, type Layout } from './layout.js';
import { lockState } from './lock.js';

/** An archive that cannot be used, or a folder that cannot take it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

const LINE_BYTES_MAX = 4096;
/** As large as a builder may be. */
const FILE_BYTES_MAX = 1024 * 1024 * 1024;

/** The folder that a file system has at its root by itself. */
const NOT_OURS = 'lost+found';

/** Names that an archive has at its top. */
const TOP: ReadonlySet<string> = topNames(layout(''));

function topNames({ spec, applied, specs, plans, runs, ramps, blobs, audit }: Layout): Set<string> {
  return new Set([spec, applied, specs, plans, runs, ramps, blobs, audit]);
}

/**
 * Makes a state directory from an archive. Nothing is renamed but what lies in it, so that it may be a
 * mount point: the state is unpacked into a folder of it and checked as a whole, then it is moved to
 * its places, and the folder goes last. No service starts while it is there, and another import begins
 * anew then: after a crash there is none, or this one.
 *
 * @param stateDir - a folder that is not there, is empty, or has what an import has left
 * @returns how many files it has
 * @throws ArchiveError, system errors
 */
export async function importState(archive: string, stateDir: string): Promise<number> {
  const isNew = (await mkdir(stateDir, { recursive: true, mode: 0o700 })) !== undefined;
  const places = layout(stateDir);
  const lock = await lockState(stateDir);
  try {
    await clear(stateDir);
    await mkdir(places.importing, { mode: 0o700 });
    await syncFolder(stateDir);
    const files = await unpack(new ArchiveReader(createReadStream(archive)), places.importing);
    await expectWhole(places.importing);
    await settle(places.importing, stateDir);
    if (isNew) await syncFolder(path.dirname(path.resolve(stateDir)));
    return files;
  } catch (error) {
    if (await isImportUnfinished(stateDir)) await clear(stateDir);
    if (isNew) await rm(stateDir, { recursive: true });
    throw error;
  } finally {
    await lock.close();
  }
}

/** Whether an import into a folder has not come to its end. */
export async function isImportUnfinished(stateDir: string): Promise<boolean> {
  return (await readdir(stateDir)).includes(path.basename(layout(stateDir).importing));
}

/** Takes away what an import has left. @throws ArchiveError where there is something else */
async function clear(stateDir: string): Promise<void> {
  const { lock, importing } = layout('');
  const present = await readdir(stateDir);
  const isLeft = present.includes(importing);
  const isOwn = (name: string): boolean => isLeft && (TOP.has(name) || name === importing);
  if (present.some((name) => name !== NOT_OURS && name !== lock && !isOwn(name))) {
    throw new ArchiveError(`${stateDir} is not empty`);
  }
  if (!isLeft) return;
  // The folder that tells of the import goes last.
  const left = present.filter((name) => TOP.has(name));
  for (const name of [...left, importing]) {
    await rm(path.join(stateDir, name), { recursive: true, force: true });
  }
}

/** Moves what was unpacked to its places, all of it durable before the mark of the import goes. */
async function settle(work: string, stateDir: string): Promise<void> {
  for (const entry of await readdir(work, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolder(path.join(entry.parentPath, entry.name));
  }
  for (const name of await readdir(work)) {
    await rename(path.join(work, name), path.join(stateDir, name));
  }
  await syncFolder(stateDir);
  await rmdir(work);
  await syncFolder(stateDir);
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
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null) return value;
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
