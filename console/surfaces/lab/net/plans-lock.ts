import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { constants, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { isAlive, markOf, type ProcessMark } from '../../../nodes/processes.js';

const RETRY_MS = 50;
const BEAT_MS = 1000;
/**
 * Looks, one after the other, at a holder that shows no sign of life: four seconds. Looks are counted
 * rather than seconds, since a machine that stood still has stopped the one who looks as well.
 */
const LOOKS_MAX = 80;
/** The content of the file: process id, its start, and how often it has shown that it lives. */
const HOLDER = /^(\d+) (\d+) \d+ *$/;
const HOLDER_BYTES = 60;

/**
 * Does something that one process at a time may do. A lock ends with its process; one that hangs, such
 * as by SIGSTOP or with a debugger, would keep it for good: who waits for it ends it, so that nothing
 * it was about to do is done later.
 *
 * @param work - is told which process has ended with the lock, before it was done
 */
export async function withLock<T>(
  file: string,
  work: (lostBy: number | undefined) => Promise<T>,
): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  let beating: NodeJS.Timeout | undefined;
  try {
    const lostBy = await obtain(handle);
    const own = markOf(process.pid);
    let beats = 0;
    const beat = (): void => {
      beats += 1;
      sign(handle, `${own?.pid} ${own?.started} ${beats}`);
    };
    beat();
    beating = setInterval(beat, BEAT_MS).unref();
    return await work(lostBy);
  } finally {
    clearInterval(beating);
    if (beating !== undefined) sign(handle, '');
    await handle.close();
  }
}

/** At once: between the lock and the name of its holder nothing else is done. */
function sign({ fd }: FileHandle, text: string): void {
  try {
    writeSync(fd, text.padEnd(HOLDER_BYTES), 0);
  } catch {
    // A full disk is no reason to leave things broken.
  }
}

/** Waits for the lock. @returns the process that has ended with it, and did not give it back */
async function obtain(handle: FileHandle): Promise<number | undefined> {
  let seen = '';
  let looks = 0;
  // The kernel offers no wait that can be given up, hence the retry.
  while (!tryLock(handle.fd)) {
    const holder = await holderIn(handle);
    looks = holder === seen ? looks + 1 : 0;
    seen = holder;
    if (looks >= LOOKS_MAX) end(markIn(holder));
    await delay(RETRY_MS);
  }
  return markIn(await holderIn(handle))?.pid;
}

async function holderIn(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HOLDER_BYTES), 0, HOLDER_BYTES, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

function markIn(holder: string): ProcessMark | undefined {
  const [, pid, started = ''] = HOLDER.exec(holder) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started };
}

/** By a signal that a process can neither ignore nor put off. */
function end(mark: ProcessMark | undefined): void {
  if (mark === undefined || mark.pid === process.pid || !isAlive(mark)) return;
  try {
    process.kill(mark.pid, 'SIGKILL');
  } catch {
    // Another user's process: who may end it does.
  }
}
