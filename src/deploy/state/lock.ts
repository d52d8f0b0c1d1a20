import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { tryLock } from 'fs-native-extensions';
import { layout } from './layout.js';

/** Another process works with the state directory. */
export class StateLockedError extends Error {
  override readonly name = 'StateLockedError';
}

/**
 * Makes the state directory where it is not there, and locks it: two services would break each other's
 * journals. The kernel lets go of the lock with the process.
 *
 * @returns what has to be closed
 * @throws StateLockedError, system errors
 */
export async function lockState(stateDir: string): Promise<FileHandle> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const lock = await open(layout(stateDir).lock, 'a+', 0o600);
  if (tryLock(lock.fd)) return lock;
  await lock.close();
  throw new StateLockedError(`${stateDir} is in use by another control service`);
}
