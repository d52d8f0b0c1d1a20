import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './errors.mjs';

const RETRY_MS = 200;

/**
 * Runs `task` while holding a lock file, so that two terminals can start in one fresh clone: the
 * second waits for the first, and finds the work done. A lock whose holder died is taken over.
 *
 * @template T
 * @param {string} path of the lock file; it holds the holder's process id
 * @param {() => Promise<T>} task
 * @param {(holder: number) => void} onWait called once when another process holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(path, task, onWait) {
  mkdirSync(dirname(path), { recursive: true });
  let waiting = false;
  while (!tryAcquire(path)) {
    const holder = readHolder(path);
    if (holder !== null && !isAlive(holder)) {
      removeStale(path, holder);
      continue;
    }
    if (!waiting && holder !== null) {
      waiting = true;
      onWait(holder);
    }
    await delay(RETRY_MS);
  }
  try {
    return await task();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * Links a finished file into place: a reader never finds a lock without its holder's id.
 *
 * @param {string} path
 */
function tryAcquire(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(own);
  }
}

/** @param {string} path */
function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Moves the dead holder's lock aside; puts it back when a live one had taken its place by then.
 *
 * @param {string} path
 * @param {number} deadHolder
 */
function removeStale(path, deadHolder) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (readHolder(aside) !== deadHolder) linkSync(aside, path);
  unlinkSync(aside);
}
