import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { mapLimited } from '../../src/lib/promises.js';

/** A process of this machine: ids are used again, but not with the same start. */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks since the machine was started, of /proc. */
  readonly started: string;
}

/** A process as /proc shows it. */
export interface ProcessInfo extends ProcessMark {
  readonly parent: number;
  /** The id of its group. */
  readonly group: number;
  readonly isPaused: boolean;
  /** Empty for one that has ended and was not waited for. */
  readonly argv: readonly string[];
}

const AT_ONCE = 16;

/** The mark of a process; undefined where there is none. */
export function markOf(pid: number): ProcessMark | undefined {
  try {
    const [state, , , started] = statOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return state === 'Z' ? undefined : { pid, started };
  } catch {
    return undefined;
  }
}

/** Whether it still is the same process. */
export function isAlive(mark: ProcessMark): boolean {
  return markOf(mark.pid)?.started === mark.started;
}

/** @returns undefined for a process that is not there, or has ended */
export async function processInfo(pid: number): Promise<ProcessInfo | undefined> {
  try {
    const [state, parent, group, started] = statOf(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (state === 'Z') return undefined;
    const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
    const [parentId, groupId] = [Number(parent), Number(group)];
    return { pid, started, parent: parentId, group: groupId, isPaused: state === 'T', argv };
  } catch {
    return undefined;
  }
}

/** Clock ticks of CPU that a process has taken, and whether it sleeps; undefined where it has ended. */
export function workOf(pid: number): { ticks: number; sleeps: boolean } | undefined {
  try {
    const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    if (fields[0] === 'Z') return undefined;
    return { ticks: Number(fields[11]) + Number(fields[12]), sleeps: fields[0] === 'S' };
  } catch {
    return undefined;
  }
}

/** All processes that can be seen. */
export async function allProcesses(): Promise<ProcessInfo[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await mapLimited(pids, AT_ONCE, processInfo);
  return found.filter((one) => one !== undefined);
}

/** The ids of the children of a process that live; none for null. */
export async function childrenOf(pid: number | null): Promise<number[]> {
  if (pid === null) return [];
  const all = await allProcesses();
  return all.filter(({ parent }) => parent === pid).map((child) => child.pid);
}

/** The processes below one, its children and theirs. */
export function descendantsOf(pid: number, all: readonly ProcessInfo[]): ProcessInfo[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

/**
 * Whether a process was started with these arguments. The program of a script is behind that of its
 * interpreter, and a pass that was asked for besides has more arguments at the end.
 */
export function runsProgram(argv: readonly string[], wanted: readonly string[]): boolean {
  const [program = '', ...rest] = wanted;
  const start = argv.length - rest.length;
  const before = argv[start - 1];
  if (before === undefined || path.basename(before) !== path.basename(program)) return false;
  return rest.every((argument, at) => argv[start + at] === argument);
}

/** State, parent, group and start: the name in parentheses may hold anything (proc(5)). */
function statOf(stat: string): [state: string, parent: string, group: string, started: string] {
  const fields = fieldsOf(stat);
  const [state = '', parent = '', group = ''] = fields;
  return [state, parent, group, fields[19] ?? ''];
}

function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
