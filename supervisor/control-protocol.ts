import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { ExitReason } from './exit-codes.js';

/**
 * The orders of `ringway reload`, `drain` and `wait-ready` to the running service, over a Unix
 * socket in the data directory: one line of JSON each way. A user who may write the data
 * directory's files may command the service.
 */

export const CONTROL_COMMANDS = ['reload', 'drain', 'wait-ready'] as const;
export type ControlCommand = (typeof CONTROL_COMMANDS)[number];

export interface ControlRequest {
  readonly command: ControlCommand;
}

/** When it is done, or has failed. */
export interface ControlReply {
  readonly reason: ExitReason;
  /** The problem; empty when there is none. */
  readonly message: string;
}

/** No request or reply is longer. */
const CONTROL_LINE_BYTES_MAX = 64 * 1024;

const SOCKET_NAME = 'control.sock';

/**
 * Runs `use` with a path of the socket. The path goes through a descriptor of its folder, which is
 * always short: the kernel takes 107 bytes at most.
 * @throws NodeJS.ErrnoException when the data directory cannot be opened
 */
export async function withSocketPath<T>(
  dataDir: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = openSync(dataDir, 'r');
  try {
    return await use(path.join('/proc/self/fd', String(folder), SOCKET_NAME));
  } finally {
    closeSync(folder);
  }
}

/** The one line that comes; undefined when the connection ends before, or it is too long. */
export function readLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
      else if (text.length > CONTROL_LINE_BYTES_MAX) socket.destroy();
    });
    socket.once('close', () => {
      resolve(undefined);
    });
  });
}
