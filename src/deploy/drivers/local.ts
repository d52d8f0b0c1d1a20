import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { sha256 } from '../spec/canonical.js';
import { syncFolder } from '../../lib/durable-file.js';
import {
  changedByOthers,
  type Driver,
  type Installation,
  type InstallFile,
  type NodeTarget,
} from './driver.js';

const STAGING = '.ringway-deploy';

/** Installs into folders of this machine: `<install_root>/<node>/etc/swift/…`. */
export class LocalDriver implements Driver {
  constructor(private readonly installRoot: string) {}

  async install({ run, node, files, deleted, expected }: Installation): Promise<number> {
    const root = path.join(this.installRoot, node.name);
    await mkdir(root, { recursive: true, mode: 0o755 });
    const staging = path.join(root, STAGING);
    // The remains of a run that was killed are of no use.
    await rm(staging, { recursive: true, force: true });
    const changed: InstallFile[] = [];
    for (const file of files) {
      const place = path.join(root, file.path);
      if (!(await isInPlace(place, file))) changed.push(file);
    }
    const gone: string[] = [];
    for (const name of deleted) if (await exists(path.join(root, name))) gone.push(name);
    if (changed.length === 0 && gone.length === 0) return 0;
    try {
      const folder = path.join(staging, run);
      // One by one: with `recursive`, Node says of a read-only file system that it is not there.
      for (const place of [staging, folder]) await mkdir(place, { mode: 0o700 });
      for (const [number, file] of changed.entries()) {
        await stage(path.join(folder, String(number)), file);
      }
      await prepareFolders(root, folder, [...changed.map((file) => file.path), ...gone]);
      await refuseChanged(root, expected, changed, gone);
      await switchOver(root, folder, changed, gone);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
    return changed.length + gone.length;
  }

  async hashes(node: NodeTarget, paths: readonly string[]): Promise<Map<string, string | null>> {
    const root = path.join(this.installRoot, node.name);
    const found = new Map<string, string | null>();
    for (const name of paths) found.set(name, await hashOf(path.join(root, name)));
    return found;
  }
}

/** Writes a file to the same file system, and reads it back. */
async function stage(place: string, file: InstallFile): Promise<void> {
  const handle = await open(place, 'wx', 0o600);
  try {
    await handle.writeFile(file.content);
    await handle.chmod(file.mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if ((await hashOf(place)) !== file.sha256) {
    throw new Error(`${file.path} was read back with another content than was written`);
  }
}

/** Every folder is there, and can be written to, before anything is replaced or deleted. */
async function prepareFolders(
  root: string,
  staging: string,
  names: readonly string[],
): Promise<void> {
  const real = await realpath(root);
  for (const folder of new Set(names.map((name) => path.dirname(name)))) {
    const place = path.join(root, folder);
    await mkdir(place, { recursive: true, mode: 0o755 });
    const found = await realpath(place);
    if (found !== path.join(real, folder)) {
      throw new Error(`${folder} is a link that leads to ${found}`);
    }
    const probe = path.join(place, `${STAGING}.probe`);
    await createAnew(probe);
    try {
      // A rename to a place on another file system, or that is mounted, fails.
      const staged = path.join(staging, 'probe');
      await createAnew(staged);
      await rename(staged, probe);
    } finally {
      await rm(probe, { force: true });
    }
  }
}

/** An empty file, where others may have put a link: it is never followed. */
async function createAnew(place: string): Promise<void> {
  await rm(place, { force: true });
  await (await open(place, 'wx', 0o600)).close();
}

/** Looks at what is about to be replaced. @throws Error where others have changed it */
async function refuseChanged(
  root: string,
  expected: Installation['expected'],
  files: readonly InstallFile[],
  gone: readonly string[],
): Promise<void> {
  const hashes = new Map(files.map((file) => [file.path, file.sha256]));
  for (const name of [...hashes.keys(), ...gone]) {
    const known = expected[name];
    if (known === undefined) continue;
    const found = await hashOf(path.join(root, name));
    if (found === null || found === hashes.get(name) || known.includes(found)) continue;
    throw new Error(changedByOthers(name));
  }
}

async function switchOver(
  root: string,
  folder: string,
  files: readonly InstallFile[],
  gone: readonly string[],
): Promise<void> {
  let done = 0;
  try {
    for (const [number, file] of files.entries()) {
      await rename(path.join(folder, String(number)), path.join(root, file.path));
      done += 1;
    }
    for (const name of gone) await rm(path.join(root, name), { force: true });
    const folders = new Set(
      [...files.map((file) => file.path), ...gone].map((name) => path.dirname(name)),
    );
    for (const name of folders) await syncFolder(path.join(root, name));
  } catch (error) {
    const message = `${done} of ${files.length} files were replaced: ${(error as Error).message}`;
    throw new Error(message, { cause: error });
  }
}

/** Whether the very file is there; its mode is then set. */
async function isInPlace(place: string, file: InstallFile): Promise<boolean> {
  let handle: FileHandle;
  try {
    handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return false;
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size !== file.content.length) return false;
    if ((await hashIn(handle)) !== file.sha256) return false;
    if ((found.mode & 0o777) !== file.mode) await handle.chmod(file.mode);
    return true;
  } finally {
    await handle.close();
  }
}

async function hashIn(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const stream = handle.createReadStream({ autoClose: false });
  for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

async function exists(place: string): Promise<boolean> {
  const names: string[] = await readdir(path.dirname(place)).catch(() => []);
  return names.includes(path.basename(place));
}

/** @returns null where there is no such file */
async function hashOf(place: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(place) as AsyncIterable<Buffer>) hash.update(chunk);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
  return hash.digest('hex');
}

/** Hashes of secrets are nothing for everyone: a short one is found by its hash. */
const SUMS_MODE = 0o640;
export const SUMS_PATH = 'etc/swift/SHA256SUMS';

/** The list of a node's files, as `sha256sum -c` reads it in the node's root. */
export function sumsFile(files: readonly Pick<InstallFile, 'path' | 'sha256'>[]): InstallFile {
  const text = files.map(({ path: name, sha256: hash }) => `${hash}  ${name}\n`).join('');
  const content = Buffer.from(text);
  return { path: SUMS_PATH, mode: SUMS_MODE, content, sha256: sha256(content) };
}
