import { readFileSync } from 'node:fs';

/**
 * Which process a row of the reclaim table belongs to. A pid alone is not enough: it is given again
 * after a while, so the start time goes with it, and the boot id, since both begin anew at boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: field 22 of /proc/<pid>/stat, proc(5). */
  readonly startTicks: number;
  /** Lower-case UUID of /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
}

export function ownIdentity(): ProcessIdentity {
  const stat = readStat('self');
  if (stat === undefined) throw new Error('the embedded store needs /proc, as Linux has it');
  return { pid: process.pid, startTicks: stat.startTicks, bootId: readBootId() };
}

/** False as soon as the process cannot write any more, a zombie included. */
export function isAlive(identity: ProcessIdentity, bootId: string): boolean {
  if (identity.bootId !== bootId) return false;
  const stat = readStat(String(identity.pid));
  return stat?.startTicks === identity.startTicks && !stat.ended;
}

export function encodeIdentity(identity: ProcessIdentity): Buffer {
  return Buffer.from(`${identity.pid} ${identity.startTicks} ${identity.bootId}`);
}

/** Decodes a row's owner; undefined when the row is damaged, so that it has no owner. */
export function decodeIdentity(bytes: Buffer): ProcessIdentity | undefined {
  const [pid, startTicks, bootId] = bytes.toString().split(' ');
  if (pid === undefined || startTicks === undefined || bootId === undefined) return undefined;
  return { pid: Number(pid), startTicks: Number(startTicks), bootId };
}

function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function readStat(pid: string): { startTicks: number; ended: boolean } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
  // The name in parentheses may hold spaces and parentheses; the fields behind it do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return { startTicks: Number(fields[19]), ended: state === 'Z' || state === 'X' };
}
