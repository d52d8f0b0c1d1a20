import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, lstat, mkdir, open, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The files that the clients send and fetch back: real ones, and many of them. */

/** Set for the whole `node_modules` and files of 2 GiB; without it, a selection that suits CI. */
export const IS_LARGE = process.env.RINGWAY_LARGE === '1';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Size of the one big file of each client: in several parts for most of them. */
export const BIG_FILE_BYTES = IS_LARGE ? 2048 * MIB : 40 * MIB;

const MODULES = join(process.cwd(), 'node_modules');

/** Deep and flat trees of more files than a page of a listing has: for the clients that sync. */
const SYNC_PACKAGES = ['lodash', 'pino'];

/** Some two hundred files, for the others. */
const SOME_PACKAGES = ['pino'];

/** Names as people give them; a client must carry each through its escaping and ours. */
const ODD_FILES = [
  'with space.txt',
  'ünïcode/文件/ßtraße 🚀.txt',
  'plus+and%percent%2Fliteral.txt',
  'question?mark#hash&and=equals.txt',
  'quote\'double"dollar$semi;comma,at@bang!.txt',
  'paren(1)[2]{3}~tilde.txt',
];

/**
 * Copies installed packages to `target`, with empty and oddly named files beside them.
 *
 * @param size `sync` for more than a page of a listing (all of node_modules when large), `some` for hundreds
 * @returns number of files
 */
export async function makeTree(target: string, size: 'sync' | 'some'): Promise<number> {
  const packages = size === 'some' ? SOME_PACKAGES : IS_LARGE ? await allPackages() : SYNC_PACKAGES;
  for (const name of packages) {
    await cp(join(MODULES, name), join(target, name), {
      recursive: true,
      // Links are no files: clients follow or skip them, each in its way.
      filter: async (source) => !(await lstat(source)).isSymbolicLink(),
    });
  }
  for (const name of ODD_FILES) await writeInto(join(target, 'odd'), name, `content of ${name}\n`);
  await writeInto(target, 'empty-file', '');
  const files = await filesIn(target);
  // Clients compare these with the store's times: of now, they are newer where a clock is set back.
  const then = new Date(Date.now() - HOUR_MS);
  for (const file of files) await utimes(join(target, file), then, then);
  return files.length;
}

async function allPackages(): Promise<string[]> {
  return (await readdir(MODULES)).filter((name) => !name.startsWith('.'));
}

async function writeInto(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Paths of all files below a folder, relative to it, sorted. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Relative path to SHA-256 of every file below a folder: equal when the trees are. */
export async function treeHashes(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const path of await filesIn(folder)) hashes[path] = await sha256OfFile(join(folder, path));
  return hashes;
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/**
 * Writes a file of bytes that do not compress and do not repeat at any block size.
 *
 * @returns its SHA-256
 */
export async function writeBigFile(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'w');
  try {
    for (let written = 0; written < bytes; written += MIB) {
      const chunk = randomBytes(Math.min(MIB, bytes - written));
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
