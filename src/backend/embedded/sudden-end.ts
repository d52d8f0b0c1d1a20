import { writeSync } from 'node:fs';
import { inspect } from 'node:util';

/**
 * How a process ends in the middle of a commit.
 *
 * `process.exit()` and an uncaught exception wait for the threads of libuv's pool. One that has LMDB's
 * write lock waits for the event loop, which is gone: the process would hang for good, and no other
 * could write any more (lmdb-js issue 336). A process that is killed loses its locks,
 * and LMDB goes on from its last commit. So such a process kills itself.
 */
let commits = 0;
let isWatching = false;

/** A commit begins, which ends with {@link commitEnds}. */
export function commitBegins(): void {
  commits += 1;
  if (isWatching) return;
  isWatching = true;
  // Node prints the error only after its `exit` event.
  process.on('uncaughtExceptionMonitor', (error) => {
    if (commits > 0) writeSync(2, `${inspect(error)}\n`);
  });
  process.on('exit', () => {
    if (commits > 0) process.kill(process.pid, 'SIGKILL');
  });
}

export function commitEnds(): void {
  commits -= 1;
}
