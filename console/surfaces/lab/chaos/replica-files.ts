import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { folderBelow, namesIn } from './local-device.js';

/** One copy of one object on a device of this machine. */
export interface ReplicaPlace {
  /** Folder of the device, without links. */
  readonly device: string;
  /** `objects` or `objects-<policy>`. */
  readonly objects: string;
  readonly part: number;
  /** 32 hex digits. */
  readonly hash: string;
}

/** A byte that was changed, so that it can be put back. */
export interface ChangedByte {
  readonly file: string;
  readonly offset: number;
  readonly original: number;
  readonly changed: number;
}

/** Where copies lie that were taken away: on the same device, so that a rename is all it takes. */
const HOLD = 'lab-hold';
const HELD_NAME = /^[0-9a-f-]{8,36}$/;
const DATA = /^\d{10}\.\d{5}\.data$/;
const FLOCK = '/usr/bin/flock';

/**
 * The data file of a copy.
 * @returns undefined where there is no copy, or not one whole file, as of a coded policy
 */
export async function dataFile(place: ReplicaPlace): Promise<string | undefined> {
  const folder = await folderBelow(place.device, stepsOf(place));
  if (folder === undefined) return undefined;
  const data = (await namesIn(folder)).filter((name) => DATA.test(name));
  const [name] = data;
  if (name === undefined || data.length > 1) return undefined;
  const file = path.join(folder, name);
  return (await lstat(file)).isFile() ? file : undefined;
}

/**
 * Which byte of a file a corruption changes: the size stays, so that only who reads it all notices.
 * @throws system errors; RangeError for a file that is too short
 */
export async function byteToChange(file: string, offset: number): Promise<ChangedByte> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, offset);
    const original = buffer[0];
    if (bytesRead !== 1 || original === undefined) throw new RangeError('the file is too short');
    return { file, offset, original, changed: original ^ 0xff };
  } finally {
    await handle.close();
  }
}

/** Changes the byte in place: names, sizes and attributes of the file stay as they are. */
export async function changeByte({ file, offset, changed }: ChangedByte): Promise<void> {
  await writeByte(file, offset, changed);
}

/**
 * Puts a byte back, if the file is still there and still has the wrong one. One that the auditor has
 * put into quarantine is left there.
 *
 * @returns whether there was something to put back
 */
export async function restoreByte(given: ChangedByte): Promise<boolean> {
  try {
    const { original } = await byteToChange(given.file, given.offset);
    if (original !== given.changed) return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  await writeByte(given.file, given.offset, given.original);
  return true;
}

async function writeByte(file: string, offset: number, value: number): Promise<void> {
  const handle = await open(file, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    await handle.write(Buffer.from([value]), 0, 1, offset);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether a copy has a folder on its device, whatever is in it. */
export async function hasReplica(place: ReplicaPlace): Promise<boolean> {
  return (await folderBelow(place.device, stepsOf(place))) !== undefined;
}

/**
 * Takes a copy away. With `tells`, its suffix is marked as changed, as Swift itself does; without,
 * replicators go by the hash that they remember, and do not notice (console.md, fact 6).
 *
 * @param id - names the place where it is kept
 */
export async function holdReplica(place: ReplicaPlace, id: string, tells: boolean): Promise<void> {
  const held = heldFolder(place, id);
  await mkdir(path.dirname(held), { recursive: true, mode: 0o700 });
  await rename(folderOf(place), held);
  if (tells) await invalidate(place);
}

/**
 * Puts a copy back; if replicators have made another one meanwhile, that stays, and the one that was
 * kept is deleted.
 *
 * @returns `back`: the copy that was kept is in its place again; `replaced`: there is another one;
 *   `none`: there was none to put back
 */
export async function putBack(
  place: ReplicaPlace,
  id: string,
): Promise<'back' | 'replaced' | 'none'> {
  const held = heldFolder(place, id);
  if ((await folderBelow(place.device, [HOLD, id])) === undefined) return 'none';
  const isEmpty = !(await hasReplica(place));
  if (isEmpty) {
    await mkdir(path.dirname(folderOf(place)), { recursive: true });
    await rename(held, folderOf(place));
    await invalidate(place);
  } else await rm(held, { recursive: true });
  await rmdir(path.dirname(held)).catch(() => undefined);
  return isEmpty ? 'back' : 'replaced';
}

/** The copies of an object in a device's quarantine. */
export async function quarantined({ device, objects, hash }: ReplicaPlace): Promise<boolean> {
  const folder = await folderBelow(device, ['quarantined', objects]);
  if (folder === undefined) return false;
  return (await namesIn(folder)).some((name) => name === hash || name.startsWith(`${hash}-`));
}

/** Deletes what the auditor has put aside of an object of the Lab. */
export async function removeQuarantined(place: ReplicaPlace): Promise<void> {
  const folder = await folderBelow(place.device, ['quarantined', place.objects]);
  if (folder === undefined) return;
  for (const name of await namesIn(folder)) {
    if (name === place.hash || name.startsWith(`${place.hash}-`)) {
      await rm(path.join(folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * Marks the suffix of a copy as changed, with Swift's own lock of its partition (`lock_path` in
 * swift/common/utils.py), so that its hash is computed anew.
 */
async function invalidate({ device, objects, part, hash }: ReplicaPlace): Promise<void> {
  const folder = path.join(device, objects, String(part));
  const script = 'printf "%s\\n" "$1" >> "$2"';
  const args = ['-w', '10', path.join(folder, '.lock'), '/bin/sh', '-c', script, 'ringway'];
  const child = spawn(FLOCK, [...args, hash.slice(-3), path.join(folder, 'hashes.invalid')], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error('The partition is locked, or cannot be written to.');
}

function folderOf(place: ReplicaPlace): string {
  return path.join(place.device, ...stepsOf(place));
}

function stepsOf({ objects, part, hash }: ReplicaPlace): string[] {
  if (!/^objects(?:-\d{1,4})?$/.test(objects) || !/^[0-9a-f]{32}$/.test(hash)) {
    throw new Error('no place of a copy');
  }
  return [objects, String(part), hash.slice(-3), hash];
}

function heldFolder({ device }: ReplicaPlace, id: string): string {
  if (!HELD_NAME.test(id)) throw new Error('no name of a copy that is kept');
  return path.join(device, HOLD, id);
}
