import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  readLine,
  withSocketPath,
  type ControlCommand,
  type ControlReply,
} from './control-protocol.js';
import { Failure } from './exit-codes.js';

export interface ControlOptions {
  readonly dataDir: string;
  readonly command: ControlCommand;
  /** How long it may all take; undefined for as long as it takes. */
  readonly timeoutMs: number | undefined;
}

/** `wait-ready` may come before the service has opened its socket. */
const RETRY_MS = 50;

/**
 * Has the running service do something, and waits until it is done.
 * @throws Failure with the service's own reason; `notRunning`, `unready`, `stopped`
 */
export async function control(options: ControlOptions): Promise<void> {
  const { command, timeoutMs } = options;
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const socket = await connect(options, limit);
  const onLimit = (): void => void socket.destroy();
  limit?.addEventListener('abort', onLimit);
  // The limit may have been reached while this connected.
  if (limit?.aborted === true) onLimit();
  try {
    socket.write(`${JSON.stringify({ command })}\n`);
    const line = await readLine(socket);
    if (line === undefined) throw noReply(options, limit);
    const reply = JSON.parse(line) as ControlReply;
    if (reply.reason !== 'ok') throw new Failure(reply.reason, reply.message);
  } finally {
    limit?.removeEventListener('abort', onLimit);
    socket.destroy();
  }
}

async function connect(
  { dataDir, command }: ControlOptions,
  limit: AbortSignal | undefined,
): Promise<net.Socket> {
  for (;;) {
    try {
      return await withSocketPath(dataDir, async (path) => {
        const socket = net.connect(path);
        await once(socket, 'connect');
        socket.on('error', () => socket.destroy());
        return socket;
      });
    } catch (error) {
      const { message } = error as Error;
      const isLast = command !== 'wait-ready' || limit?.aborted === true;
      if (isLast) throw notRunning(dataDir, command, message);
      await delay(RETRY_MS);
    }
  }
}

function notRunning(dataDir: string, command: ControlCommand, why: string): Failure {
  const text = `no service runs on the data directory ${dataDir} (${why})`;
  return new Failure(command === 'wait-ready' ? 'unready' : 'notRunning', text);
}

function noReply({ command, timeoutMs }: ControlOptions, limit: AbortSignal | undefined): Failure {
  if (limit?.aborted === true) {
    return new Failure('unready', `${command} was not done within ${timeoutMs ?? 0} ms`);
  }
  return new Failure('stopped', `the service ended before ${command} was done`);
}
