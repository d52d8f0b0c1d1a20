import { closeSync, openSync } from 'node:fs';

/** Whether this machine lets its user mount file systems of programs. */
export function hasFuse(): boolean {
  try {
    closeSync(openSync('/dev/fuse', 'r+'));
    return true;
  } catch {
    return false;
  }
}
