import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import process from 'node:process';
import { codeOf, messageOf } from './errors.mjs';

const SHARED_MEMORY = '/dev/shm';
/** A stage fills a part of it. */
const BYTES_MIN = 4 * 2 ** 30;

/**
 * Where the tests of a stage put their temporary folders: in memory, where syncing a file to its
 * disk takes no time. A process that is killed there loses no more than elsewhere. Not on a machine
 * with little memory, for tests of gigabytes, or where the caller has named a place.
 */
export class MemoryFolder {
  /** @type {string | undefined} undefined: the system's folder of temporary files */
  #path;

  constructor(env = process.env) {
    if (env.TMPDIR !== undefined || env.RINGWAY_LARGE === '1' || !canTakeTests()) return;
    this.#path = mkdtempSync(`${SHARED_MEMORY}/rw-`);
  }

  /** @returns {Record<string, string>} what is added to the environment of the tests */
  get env() {
    return this.#path === undefined ? {} : { TMPDIR: this.#path };
  }

  /** With what tests that were killed have left; processes of theirs may still be ending. */
  remove() {
    if (this.#path === undefined) return;
    try {
      rmSync(this.#path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch (error) {
      console.log(`tests: ${this.#path} is left: ${messageOf(error)}`);
    }
  }
}

function canTakeTests() {
  const mount = linesOf('/proc/mounts').find((line) => line.split(' ')[1] === SHARED_MEMORY);
  if (mount === undefined) return false;
  const [, , type, options = ''] = mount.split(' ');
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return Math.min(bavail * bsize, availableBytes()) >= BYTES_MIN;
}

function availableBytes() {
  const line = linesOf('/proc/meminfo').find((text) => text.startsWith('MemAvailable:'));
  return Number(/\d+/.exec(line ?? '')?.[0] ?? 0) * 1024;
}

/** @param {string} path @returns {string[]} none where the system has no such file */
function linesOf(path) {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
