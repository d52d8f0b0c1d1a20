import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ResponseReader } from './response-reader.js';
import type { WireRequest } from './wire.js';

/** The address that requests go to. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export function addressOf(endpoint: string): Address {
  const url = new URL(endpoint);
  const tls = url.protocol === 'https:';
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, tls };
}

/** How an exchange ended. */
export interface Reply {
  readonly status: number;
  /** Undefined when all was as expected. */
  readonly problem: string | undefined;
  /** Bytes of the response's body. */
  readonly bodyBytes: number;
}

const READ_BYTES = 256 * 1024;

/**
 * One kept connection with one request at a time. A socket of node:net that reads into one buffer
 * of its own, with hand-made HTTP: what the generator takes, the server on the same machine lacks
 * (docs/benchmarks.md).
 */
export class Connection {
  #socket: Socket | undefined;
  readonly #reader = new ResponseReader();
  #settle: ((reply: Reply) => void) | undefined;

  constructor(private readonly address: Address) {}

  /** @throws Error when no server accepts the connection */
  async open(): Promise<void> {
    const { host, port, tls } = this.address;
    const onRead = (bytes: Buffer): void => {
      this.#receive(bytes);
    };
    const socket = tls ? connectTls({ host, port }) : connectRaw(host, port, onRead);
    if (tls) socket.on('data', onRead);
    socket.setNoDelay(true);
    await once(socket, tls ? 'secureConnect' : 'connect');
    socket.on('error', (error: Error) => {
      this.#lost(socket, error.message);
    });
    socket.on('end', () => {
      if (socket === this.#socket && this.#reader.end()) this.#done();
      else this.#lost(socket, 'the server closed the connection');
    });
    this.#socket = socket;
  }

  /** Sends a request and judges its answer. Opens the connection when it is not open. */
  async exchange(request: WireRequest): Promise<Reply> {
    if (this.#socket === undefined) {
      try {
        await this.open();
      } catch (error) {
        return { status: 0, problem: `cannot connect: ${String(error)}`, bodyBytes: 0 };
      }
    }
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#reader.begin(request.method, request.expect);
      this.#socket?.write(request.head);
      if (request.body !== undefined) this.#socket?.write(request.body);
    });
  }

  /** Body of the last answer whose expectation had a `check`. */
  get lastBody(): Buffer {
    return this.#reader.body;
  }

  /** Ends the connection; an exchange in flight gets this problem. */
  close(problem = 'the connection was closed'): void {
    const socket = this.#socket;
    if (socket !== undefined) this.#lost(socket, problem);
  }

  #receive(bytes: Buffer): void {
    try {
      if (this.#reader.feed(bytes)) this.#done();
    } catch (error) {
      this.close(String(error));
    }
  }

  #done(): void {
    const { status, problem, bodyBytes, keepsAlive } = this.#reader;
    const settle = this.#settle;
    this.#settle = undefined;
    if (!keepsAlive) this.close();
    settle?.({ status, problem, bodyBytes });
  }

  #lost(socket: Socket, problem: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    socket.destroy();
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.({ status: 0, problem, bodyBytes: 0 });
  }
}

/** Connects without a stream's buffers: the kernel copies into the same memory each time. */
function connectRaw(host: string, port: number, onRead: (bytes: Buffer) => void): Socket {
  return connectTcp({
    host,
    port,
    onread: {
      buffer: Buffer.allocUnsafe(READ_BYTES),
      callback: (length, buffer) => {
        onRead((buffer as Buffer).subarray(0, length));
        return true;
      },
    },
  });
}
