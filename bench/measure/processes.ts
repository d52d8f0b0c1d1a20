import { readdirSync, readFileSync } from 'node:fs';

/** Figures of one process from /proc. */
interface ProcessFigures {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The part that no file backs: pages of the index are in every listener's figure. */
  readonly anonymousBytes: number;
}

/** Linux' USER_HZ, the unit of /proc/PID/stat: 100 on every architecture that Node runs on. */
const TICK_MS = 10;

/** Processes and all their descendants that live now. */
export function processTree(roots: readonly number[]): number[] {
  const found = new Set<number>();
  const visit = (pid: number): void => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of childrenOf(pid)) visit(child);
  };
  for (const root of roots) visit(root);
  return [...found];
}

/** Children are listed by the thread that made them. */
function childrenOf(pid: number): number[] {
  return (threadsOf(pid) ?? []).flatMap((thread) =>
    (readIfThere(`/proc/${pid}/task/${thread}/children`) ?? '')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );
}

function threadsOf(pid: number): string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return undefined;
  }
}

/**
 * CPU that a process took since its start, and that its children took which have ended. The kernel
 * counts nanoseconds and shows hundredths of a second.
 */
export function figuresOf(pid: number): ProcessFigures | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  const status = readIfThere(`/proc/${pid}/status`);
  if (stat === undefined || status === undefined) return undefined;
  // The name in brackets may hold blanks; utime, stime, cutime, cstime are fields 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const anonymous = kib('RssAnon') || 0;
  return {
    cpuMs: ticks * TICK_MS,
    rssBytes: (kib('VmRSS') || 0) * 1024,
    anonymousBytes: anonymous * 1024,
  };
}

/**
 * Memory of a process where each page that several have counts for each of them with its share, so
 * that the sum over all who have it counts it once. The kernel walks all page tables for it: 1.4 ms
 * of CPU for a process of 90 MiB, forty times what {@link figuresOf} takes.
 * @returns undefined for a process that is gone, or is another user's
 */
export function proportionalBytesOf(pid: number): number | undefined {
  const rollup = readIfThere(`/proc/${pid}/smaps_rollup`);
  const kib = /^Pss:\s+(\d+) kB$/m.exec(rollup ?? '')?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

export function commandLineOf(pid: number): string {
  return (readIfThere(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
}

/** Busy time of the whole machine since boot, over all its processors. */
export function machineBusyMs(): number {
  const [, ...fields] = (readIfThere('/proc/stat') ?? '').split('\n')[0]?.split(/\s+/) ?? [];
  // user nice system idle iowait irq softirq steal; guest time is within user's.
  const ticks = fields.slice(0, 8).map(Number);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return (ticks.reduce((sum, value) => sum + value, 0) - idle) * TICK_MS;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
