import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `st` of `/proc/net/tcp`: the socket listens. */
const LISTEN = '0A';

/**
 * Which process listens on a TCP port of this host, as far as `/proc` tells this user.
 *
 * @returns such as `nginx (process 812)`, or `undefined`
 */
export function listenerOf(port: number): string | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listening(table, port)));
  if (inodes.size === 0) return undefined;
  const pid = list('/proc').find((name) => /^\d+$/.test(name) && holdsOne(name, inodes));
  return pid === undefined ? undefined : `${read(`/proc/${pid}/comm`).trim()} (process ${pid})`;
}

/** @returns inodes of the listening sockets of a port; columns as in proc(5) */
function listening(table: string, port: number): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return read(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => state === LISTEN && local.endsWith(`:${wanted}`))
    .flatMap((columns) => columns[9] ?? []);
}

function holdsOne(pid: string, inodes: ReadonlySet<string>): boolean {
  return list(`/proc/${pid}/fd`).some((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1];
    return inode !== undefined && inodes.has(inode);
  });
}

/** A process that this user may not see, or that has ended meanwhile, holds nothing. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
