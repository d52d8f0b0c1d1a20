import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { isFull, lockFileOf } from './data-directory.js';
import { Failure } from './exit-codes.js';
import { isProcessAlive } from './process-alive.js';

export interface DataLock {
  /**
   * The lock belongs to the open file, not to the process: children that inherit this descriptor
   * hold it too, so it is free only when the last process of the service has gone.
   */
  readonly fd: number;
  release(): void;
}

/** How long the orphans of a killed supervisor may take to notice. */
const ORPHAN_WAIT_MS = 5000;
const ORPHAN_RETRY_MS = 50;
/** The length of the largest process id on Linux (2^22), with a reserve. */
const PID_DIGITS = 10;

/**
 * Makes this process the only one on the data directory. Two instances could share the port
 * without an error (SO_REUSEPORT), so this lock is what keeps them apart.
 * @throws Failure `locked`; NodeJS.ErrnoException when the file cannot be opened
 */
export async function lockDataDirectory(dataDir: string): Promise<DataLock> {
  const file = lockFileOf(dataDir);
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const giveUpAt = performance.now() + ORPHAN_WAIT_MS;
    while (!tryLock(fd)) {
      const pid = readPid(file);
      const mayBeOrphans = pid !== undefined && !isProcessAlive(pid);
      // The kernel offers no wait with a limit, hence the retry.
      if (!mayBeOrphans || performance.now() > giveUpAt) throw inUse(dataDir, pid);
      await delay(ORPHAN_RETRY_MS);
    }
    writePid(fd);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  return {
    fd,
    release: () => {
      closeSync(fd);
    },
  };
}

/**
 * Over the former one, and of the same length: on a full device there is no room for another block.
 * The number only tells others whom they wait for.
 */
function writePid(fd: number): void {
  try {
    writeSync(fd, `${String(process.pid).padEnd(PID_DIGITS)}\n`, 0);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

function inUse(dataDir: string, pid: number | undefined): Failure {
  const who = pid === undefined ? 'another ringway' : `another ringway (pid ${pid})`;
  return new Failure('locked', `${who} is using the data directory ${dataDir}`);
}

function readPid(file: string): number | undefined {
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}
