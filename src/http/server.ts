import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { EdgeState } from './edge-state.js';
import { ExchangeImpl } from './exchange-impl.js';
import type { Exchange, ExchangeHandler } from './exchange.js';
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from './limits.js';
import { descriptorOf, setReceiveBuffer } from './receive-buffer.js';
import { readHead } from './request-head.js';
import { createApp, ListenSocket, type HttpRequest, type HttpResponse } from './uws.js';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 for any free port; such a port cannot be shared between processes. */
  readonly port: number;
  readonly limits?: Partial<EdgeLimits> | undefined;
  /** Refuse to share the port with other processes; false by default (SO_REUSEPORT). */
  readonly listenExclusive?: boolean | undefined;
  /** Told of what a handler threw, or that it ended without a response. Must not throw. */
  onHandlerError(error: unknown, exchange: Exchange): void;
}

export interface HttpServer {
  readonly port: number;
  /** Requests that are not wholly answered; connections that are about to be closed count. */
  readonly inFlight: number;
  /** Open connections, idle ones included. */
  readonly connections: number;
  /** Bytes of request bodies in memory that nobody has read yet. */
  readonly bufferedBytes: number;
  /** Takes no new connections; responses on those that are open say `Connection: close`. */
  stopListening(): void;
  /**
   * stopListening(), then waits for what is in flight, `timeoutMs` at most, and closes the rest:
   * idle connections as well.
   */
  drain(timeoutMs: number): Promise<DrainResult>;
  /** Closes everything at once: what is in flight is aborted. */
  close(): void;
}

export interface DrainResult {
  /** Requests that were cut off because they took longer. */
  readonly aborted: number;
}

/** The library cannot listen; it does not say why. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`cannot listen on ${host}:${port}: in use, not permitted, or no such address`);
  }
}

/**
 * Serves HTTP/1.1 on one port with uWebSockets.js, in this thread. Takes some 50 ms, for the
 * process that sets the receive buffer.
 * @throws ListenError
 */
export async function serveHttp(
  options: HttpServerOptions,
  handler: ExchangeHandler,
): Promise<HttpServer> {
  const server = new EdgeServer(options, handler);
  await server.boundReceiveBuffer();
  return server;
}

class EdgeServer implements HttpServer {
  connections = 0;
  readonly #app = createApp();
  readonly #edge: EdgeState;
  readonly #socket: ListenSocket;
  /** Of the listen socket; undefined where the operating system does not tell. */
  readonly #descriptor: number | undefined;

  constructor(
    private readonly options: HttpServerOptions,
    private readonly handler: ExchangeHandler,
  ) {
    this.#edge = new EdgeState({ ...DEFAULT_EDGE_LIMITS, ...options.limits });
    this.#app.filter((_res, change) => {
      this.connections += change;
    });
    this.#app.any('/*', (res, req) => {
      this.#serve(res, req);
    });
    const { host, port, listenExclusive = false } = options;
    let socket: ListenSocket | undefined;
    this.#descriptor = descriptorOf(() => {
      socket = ListenSocket.open(this.#app, host, port, listenExclusive);
    });
    if (socket === undefined) throw new ListenError(host, port);
    this.#socket = socket;
  }

  /** A server that cannot do this works, but a fast client can fill its memory: so it says so. */
  async boundReceiveBuffer(): Promise<void> {
    const bytes = this.#edge.limits.receiveBufferBytes;
    if (bytes === 0) return;
    const size =
      this.#descriptor === undefined ? undefined : await setReceiveBuffer(this.#descriptor, bytes);
    if (size === undefined) {
      process.emitWarning('cannot bound the receive buffer of the HTTP port (docs/limitations.md)');
    }
  }

  get port(): number {
    return this.#socket.port;
  }

  get inFlight(): number {
    return this.#edge.inFlight;
  }

  get bufferedBytes(): number {
    return this.#edge.bufferedBytes;
  }

  stopListening(): void {
    this.#edge.draining = true;
    this.#socket.close();
  }

  async drain(timeoutMs: number): Promise<DrainResult> {
    this.stopListening();
    const deadline = performance.now() + timeoutMs;
    do {
      await this.#idle(deadline - performance.now());
      // A request may be on its way on a kept connection: closing that would lose it.
      const graceMs = Math.min(this.#edge.limits.idleGraceMs, deadline - performance.now());
      if (graceMs > 0 && this.connections > 0) await setTimeout(graceMs);
    } while (this.#edge.inFlight > 0 && performance.now() < deadline);
    const aborted = this.#edge.inFlight - this.#edge.lingering;
    this.close();
    return { aborted };
  }

  close(): void {
    this.#edge.closing = true;
    this.stopListening();
    this.#app.close();
  }

  /** Resolves when nothing is in flight, or after `limitMs`. */
  async #idle(limitMs: number): Promise<void> {
    if (this.#edge.inFlight === 0 || limitMs <= 0) return;
    const waiting = new AbortController();
    this.#edge.onIdle = () => {
      waiting.abort();
    };
    await setTimeout(limitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    this.#edge.onIdle = undefined;
  }

  /** Called by the library, which exits the process when something is thrown at it. */
  #serve(res: HttpResponse, req: HttpRequest): void {
    const exchange = new ExchangeImpl(readHead(req, res), res, this.#edge);
    try {
      const running = this.handler(exchange);
      if (running !== undefined) this.#follow(running, exchange);
    } catch (error) {
      this.#handlerFailed(error, exchange);
    }
    exchange.handlerReturned();
  }

  #follow(running: Promise<void>, exchange: ExchangeImpl): void {
    running.then(
      () => {
        if (exchange.responded || exchange.aborted) return;
        this.#handlerFailed(new Error('the handler ended without a response'), exchange);
      },
      (error: unknown) => {
        this.#handlerFailed(error, exchange);
      },
    );
  }

  #handlerFailed(error: unknown, exchange: ExchangeImpl): void {
    exchange.fail();
    try {
      this.options.onHandlerError(error, exchange);
    } catch (reportError) {
      process.emitWarning(reportError as Error);
    }
  }
}
