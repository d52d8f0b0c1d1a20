import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { ReadSlabs } from '../../../src/lib/buffers/read-slabs.js';
import type { Connection, Exchange } from '../../../src/lib/http-client/connection.js';
import { HttpPool, type HttpPoolOptions } from '../../../src/lib/http-client/pool.js';
import type { ResponseHead } from '../../../src/lib/http-client/response-head.js';

/** A server that answers each request head with what its script says, byte for byte. */
export class RawServer {
  readonly sockets: Socket[] = [];
  /** Heads of the requests as they came, with what came in the same piece. */
  readonly seen: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly isTls: boolean,
  ) {}

  /** @param serve called with each piece that comes, and the number of the connection */
  static async start(
    serve: (socket: Socket, text: string, connection: number) => void,
    tls?: TlsOptions,
  ): Promise<RawServer> {
    const onSocket = (socket: Socket): void => {
      const connection = raw.sockets.push(socket) - 1;
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        raw.seen.push(bytes.toString('latin1'));
        serve(socket, bytes.toString('latin1'), connection);
      });
    };
    const server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket);
    const raw = new RawServer(server, tls !== undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return raw;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  pool(options: Partial<HttpPoolOptions> = {}, slabs = new ReadSlabs(64 * 1024, 4)): HttpPool {
    const origin = new URL(`${this.isTls ? 'https' : 'http'}://127.0.0.1:${this.port}`);
    return new HttpPool(
      {
        origin,
        connectionsMax: 4,
        connectTimeoutMs: 10_000,
        waitTimeoutMs: 10_000,
        keepAliveMs: 10_000,
        headBytesMax: 8192,
        ...options,
      },
      slabs,
    );
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** One GET, with what is told of it. */
export class Get implements Exchange {
  connection: Connection | undefined;
  head: ResponseHead | undefined;
  readonly chunks: Buffer[] = [];
  error: Error | undefined;
  state: 'under_way' | 'ended' | 'failed' = 'under_way';
  timeouts = 0;
  continues = 0;
  /** The answer of `onData`. */
  isWanted = true;
  /** Called with each piece, while its memory is lent. */
  onPiece: (bytes: Buffer) => void = () => undefined;
  #settle!: () => void;
  /** Resolves when it has ended or failed. */
  readonly over = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(
    private readonly begin: (connection: Connection) => void = (connection) => {
      connection.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n', false, Buffer.alloc(0));
    },
  ) {}

  get body(): string {
    return Buffer.concat(this.chunks).toString('latin1');
  }

  /** Runs it in a pool. */
  async in(pool: HttpPool): Promise<this> {
    pool.start(this);
    await this.over;
    return this;
  }

  onReady(connection: Connection): void {
    this.connection = connection;
    this.begin(connection);
  }

  onContinue(): void {
    this.continues += 1;
  }

  onHead(head: ResponseHead): void {
    this.head = head;
  }

  onData(bytes: Buffer): boolean {
    this.chunks.push(Buffer.from(bytes));
    this.onPiece(bytes);
    return this.isWanted;
  }

  onEnd(): void {
    this.state = 'ended';
    this.#settle();
  }

  onTimeout(): void {
    this.timeouts += 1;
    this.connection?.destroy(new Error('late'));
  }

  onError(error: Error): void {
    this.error = error;
    this.state = 'failed';
    this.#settle();
  }
}
