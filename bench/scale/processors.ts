import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { processTree } from '../measure/processes.js';
import { TargetError } from '../targets/target.js';

/** Which processors the service and the load have. */
export interface Split {
  readonly server: readonly number[];
  readonly load: readonly number[];
}

/** Processors that this process may use, by their numbers. */
export function ownProcessors(status = readFileSync('/proc/self/status', 'utf8')): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/**
 * A processor for each listener and the others for the load, so that neither takes time from the
 * other; with as many listeners as processors all have to share.
 */
export function splitFor(listeners: number, processors: readonly number[]): Split {
  if (listeners >= processors.length) return { server: processors, load: processors };
  return { server: processors.slice(0, listeners), load: processors.slice(listeners) };
}

/**
 * Binds processes with all their threads and descendants; those that they start later inherit it.
 * @throws TargetError without util-linux' `taskset`
 */
export function pin(pids: readonly number[], processors: readonly number[]): void {
  for (const pid of processTree(pids)) {
    try {
      execFileSync('taskset', ['-a', '-p', '-c', processors.join(','), String(pid)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    } catch (error) {
      const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
      // It ended meanwhile: nothing is left to bind.
      if (stderr?.includes('No such process') === true) continue;
      throw new TargetError(`taskset: ${code ?? stderr?.toString().trim() ?? 'failed'}`);
    }
  }
}
