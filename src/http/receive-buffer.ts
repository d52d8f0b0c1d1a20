import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * Bounds the kernel's receive buffer of the connections that a listen socket accepts.
 *
 * The library reads a readable socket again and again, paused or not, as long as each read fills
 * its own buffer of 512 KiB. A client as fast as the server, on the same host, so gets a whole
 * upload into memory at one go: 256 MiB and more were measured, 1.4 MiB with the kernel's buffer
 * below 512 KiB, since then no read ever fills the library's.
 *
 * Neither Node nor the library can set SO_RCVBUF on a TCP socket of ours. Options belong to the
 * socket, not to the process, and accepted sockets inherit them: so a child process gets the
 * listen socket for the time of one system call (receive-buffer-program.ts).
 */

const PROGRAM = fileURLToPath(new URL('receive-buffer-program.js', import.meta.url));
const DESCRIPTORS = '/proc/self/fd';

/** The sockets that this process has open: descriptor by kernel name. Linux only, else empty. */
export function openSockets(): Map<string, number> {
  const sockets = new Map<string, number>();
  for (const descriptor of listDescriptors()) {
    const name = linkTarget(`${DESCRIPTORS}/${descriptor}`);
    if (name?.startsWith('socket:') === true) sockets.set(name, Number(descriptor));
  }
  return sockets;
}

/** Opens a socket, synchronously, and tells its descriptor; undefined when it cannot be told. */
export function descriptorOf(open: () => void): number | undefined {
  const before = openSockets();
  open();
  const opened = [...openSockets()].filter(([name]) => !before.has(name));
  return opened.length === 1 ? opened[0]?.[1] : undefined;
}

/**
 * @returns what the kernel made of it: twice the bytes, by its own accounting, or twice
 *   net.core.rmem_max; undefined when it could not be set
 */
export async function setReceiveBuffer(
  descriptor: number,
  bytes: number,
): Promise<number | undefined> {
  const child = spawn(process.execPath, [PROGRAM, String(bytes)], {
    stdio: ['ignore', 'pipe', 'ignore', descriptor],
    env: {},
  });
  if (child.stdout === null) return undefined;
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, [code]] = await Promise.all([text(child.stdout), exited]);
  return code === 0 ? Number(output) : undefined;
}

function listDescriptors(): string[] {
  try {
    return readdirSync(DESCRIPTORS);
  } catch {
    return [];
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // The descriptor of the listing itself is closed by now.
    return undefined;
  }
}
