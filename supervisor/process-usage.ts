import { readFileSync } from 'node:fs';

/** The use that a process makes of its host. */
export interface ProcessUsage {
  /** CPU seconds of all its threads, since it started. */
  readonly cpu_s: number;
  readonly rss_bytes: number;
}

/** USER_HZ: 100 on every Linux that Node runs on, whatever the kernel's own tick (proc(5)). */
const TICKS_PER_S = 100;
/** Fields of `stat` behind the name, which may hold blanks: utime and stime are the 14th and 15th. */
const UTIME = 11;
const STIME = 12;

/** @returns undefined for a process that has gone, and where there is no /proc */
export function usageOf(pid: number | undefined): ProcessUsage | undefined {
  if (pid === undefined) return undefined;
  let stat: string;
  let status: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[UTIME]) + Number(fields[STIME]);
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN);
  if (Number.isNaN(ticks) || Number.isNaN(kib)) return undefined;
  return { cpu_s: ticks / TICKS_PER_S, rss_bytes: kib * 1024 };
}
