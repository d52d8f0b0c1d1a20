import { readFileSync } from 'node:fs';

/** Whether a process can still do anything: a zombie that waits for its parent cannot. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the state is the first field behind it.
    return stat.charAt(stat.lastIndexOf(')') + 2) === 'Z';
  } catch {
    // Gone meanwhile, or a system without /proc: then the signal's answer has to do.
    return false;
  }
}
