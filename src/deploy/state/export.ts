import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../../lib/durable-file.js';
import type { Layout } from './layout.js';

/** Version of the format; another one is refused. */
export const ARCHIVE_FORMAT = 1;
const CHUNK_BYTES = 64 * 1024;

/** The first line of an archive. */
export interface ArchiveHead {
  readonly ringway_deploy_state: number;
  readonly exported_unix_s: number;
}

/** A line before the content of a file. */
export interface ArchiveEntry {
  /** Below the state directory. */
  readonly path: string;
  readonly size: number;
}

/** The last line. */
export interface ArchiveEnd {
  readonly files: number;
  /** SHA-256 of all bytes before this line. */
  readonly sha256: string;
}

/** Every file that an archive has, by its path below the state directory. */
export const ARCHIVED =
  /^(?:spec\.json|applied\.json|specs\/sha256-[0-9a-f]{64}\.json|plans\/[0-9a-f]{24}(?:\.next)?\.json|runs\/run-[0-9a-f]{24}\.json|ramps\/ramp-[0-9a-f]{24}\.json|blobs\/[0-9a-f]{2}\/[0-9a-f]{64}|audit\/audit(?:-\d{8})?\.jsonl)$/;

/**
 * Everything in a state directory but its locks, as one stream: specifications, builders and files of
 * nodes that ever were, plans, runs and the audit log.
 *
 *     {"ringway_deploy_state": 1, …}\n
 *     {"path": …, "size": n}\n  n bytes  \n      for each file
 *     {"files": n, "sha256": …}\n
 *
 * The service may go on meanwhile. The state in force is read first: all that it names is there
 * already, and none of it is changed, or pruned while it is in force.
 *
 * @throws system errors
 */
export async function* exportState(places: Layout, nowS: number): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const line = (value: ArchiveHead | ArchiveEntry | ArchiveEnd): Buffer => {
    return Buffer.from(`${JSON.stringify(value)}\n`);
  };
  const counted = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  yield counted(line({ ringway_deploy_state: ARCHIVE_FORMAT, exported_unix_s: nowS }));
  const root = path.dirname(places.applied);
  let files = 0;
  for await (const name of filesOf(places, root)) {
    const file = await ifThere(open(path.join(root, name), 'r'));
    if (file === undefined) continue;
    try {
      // A file that grows, such as the audit log, is taken as long as it is now.
      const { size } = await file.stat();
      yield counted(line({ path: name, size }));
      for (let at = 0; at < size;) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        if (bytesRead === 0) throw new Error(`${name} became shorter while it was read`);
        at += bytesRead;
        yield counted(chunk.subarray(0, bytesRead));
      }
      yield counted(Buffer.from('\n'));
    } finally {
      await file.close();
    }
    files += 1;
  }
  yield line({ files, sha256: hash.digest('hex') });
}

/** Names below the root; folders are listed when their turn comes. */
async function* filesOf(places: Layout, root: string): AsyncGenerator<string> {
  yield* [places.applied, places.spec].map((file) => path.relative(root, file));
  for (const folder of [
    ...[places.ramps, places.runs, places.plans],
    ...[places.specs, places.blobs, places.audit],
  ]) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    for (const name of names.sort()) {
      const relative = path.join(path.relative(root, folder), name);
      if (ARCHIVED.test(relative)) yield relative;
    }
  }
}
