import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import net from 'node:net';
import { messageOf } from '../src/lib/error-message.js';
import { parseJson } from '../src/lib/parse-json.js';
import type { Logger } from '../src/telemetry/logger.js';
import {
  CONTROL_COMMANDS,
  readLine,
  withSocketPath,
  type ControlCommand,
  type ControlReply,
  type ControlRequest,
} from './control-protocol.js';
import { Failure } from './exit-codes.js';

/** Does a command; resolves when it is done. @throws Failure */
export type ControlHandler = (command: ControlCommand) => Promise<void>;

const CONNECTIONS_MAX = 16;

/** The service's end of control-protocol.ts. */
export class ControlServer {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #dataDir: string | undefined;

  constructor(
    private readonly handler: ControlHandler,
    private readonly log: Logger,
  ) {
    this.#server = net.createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      // The client may leave before the answer.
      socket.on('error', () => socket.destroy());
      void this.#serve(socket);
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** The caller holds the lock of the data directory: what stands there is of a dead service. */
  async listen(dataDir: string): Promise<void> {
    await withSocketPath(dataDir, async (path) => {
      rmSync(path, { force: true });
      this.#server.listen(path);
      await once(this.#server, 'listening');
      chmodSync(path, 0o600);
    });
    this.#dataDir = dataDir;
  }

  /** Ends what is open, answers that are written first. */
  async close(): Promise<void> {
    if (this.#dataDir === undefined) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroySoon();
    await closed;
    await withSocketPath(this.#dataDir, (path) => rm(path, { force: true }));
  }

  async #serve(socket: net.Socket): Promise<void> {
    const line = await readLine(socket);
    const command = line === undefined ? undefined : commandIn(line);
    if (command === undefined) {
      socket.destroy();
      return;
    }
    this.log.info({ command }, 'command received');
    const reply = await this.#do(command);
    socket.end(`${JSON.stringify(reply)}\n`);
  }

  async #do(command: ControlCommand): Promise<ControlReply> {
    try {
      await this.handler(command);
      return { reason: 'ok', message: '' };
    } catch (error) {
      const reason = error instanceof Failure ? error.reason : 'internal';
      return { reason, message: messageOf(error) };
    }
  }
}

function commandIn(line: string): ControlCommand | undefined {
  const request = parseJson(line) as Partial<ControlRequest> | null | undefined;
  return CONTROL_COMMANDS.find((known) => known === request?.command);
}
