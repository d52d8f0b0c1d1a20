import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { EdgeState } from './edge-state.js';
import { ExchangeImpl } from './exchange-impl.js';
import type { Exchange, ExchangeHandler } from './exchange.js';
import { Handover } from './handover.js';
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from './limits.js';
import { descriptorOf, setReceiveBuffer } from './receive-buffer.js';
import { readHead } from './request-head.js';
import {
  createApp,
  ListenSocket,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type TlsFiles,
} from './uws.js';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 for any free port; such a port cannot be shared between processes. */
  readonly port: number;
  readonly limits?: Partial<EdgeLimits> | undefined;
  /** Speak TLS, and nothing else. */
  readonly tls?: TlsFiles | undefined;
  /** Refuse to share the port with other processes; false by default (SO_REUSEPORT). */
  readonly listenExclusive?: boolean | undefined;
  /**
   * Called with the error that a handler threw, or when it ended without a response. Must not
   * throw.
   */
  onHandlerError(error: unknown, exchange: Exchange): void;
}

export interface HttpServer {
  /** @throws Error before `listen` */
  readonly port: number;
  /** Requests that are not wholly answered; connections that are about to be closed count. */
  readonly inFlight: number;
  /** Open connections, idle ones included. */
  readonly connections: number;
  /** Bytes of request bodies in memory that are still unread. */
  readonly bufferedBytes: number;
  /**
   * Begins to take connections; once. Takes some 50 ms, for the process that sets the receive buffer.
   * @throws ListenError
   */
  listen(): Promise<void>;
  /**
   * Another process is about to listen on the port in this one's place: see handover.ts.
   * @returns false when connections may be lost on the way
   */
  separate(): Promise<boolean>;
  /** Takes the port back when no other process took it over. */
  rejoin(): Promise<void>;
  /** Takes no new connections; responses on those that are open say `Connection: close`. */
  stopListening(): void;
  /**
   * stopListening(), then waits for what is in flight, `timeoutMs` at most, and closes the rest:
   * idle connections as well.
   */
  drain(timeoutMs: number): Promise<DrainResult>;
  /**
   * The same when another process listens by now, so that no client needs to notice: what waits to
   * be accepted is, and an idle connection is closed with the answer to its next request, or, as
   * always, when it has been idle for too long. A `drain` that follows ends the patience.
   */
  drainHandedOver(timeoutMs: number): Promise<DrainResult>;
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
 * Serves HTTP/1.1 on one port with uWebSockets.js, in this thread. It does not listen yet.
 * @throws Error for TLS files that cannot be used
 */
export function prepareHttp(options: HttpServerOptions, handler: ExchangeHandler): HttpServer {
  return new EdgeServer(options, handler);
}

/** Like {@link prepareHttp}, and listens. */
export async function serveHttp(
  options: HttpServerOptions,
  handler: ExchangeHandler,
): Promise<HttpServer> {
  const server = prepareHttp(options, handler);
  await server.listen();
  return server;
}

class EdgeServer implements HttpServer {
  connections = 0;
  readonly #app: TemplatedApp;
  readonly #edge: EdgeState;
  #socket: ListenSocket | undefined;
  #handover = new Handover(undefined);
  /** The time until which a drain leaves connections without a request open. */
  #idleUntil = 0;
  #finishing: Promise<DrainResult> | undefined;
  /** Ends the waits of a drain. */
  readonly #closed = new AbortController();

  constructor(
    private readonly options: HttpServerOptions,
    private readonly handler: ExchangeHandler,
  ) {
    this.#edge = new EdgeState({ ...DEFAULT_EDGE_LIMITS, ...options.limits });
    this.#app = createApp(options.tls);
    this.#app.filter((_res, change) => {
      this.connections += change;
    });
    this.#app.any('/*', (res, req) => {
      this.#serve(res, req);
    });
  }

  async listen(): Promise<void> {
    const { host, port, listenExclusive = false } = this.options;
    const descriptor = descriptorOf(() => {
      this.#socket = ListenSocket.open(this.#app, host, port, listenExclusive);
    });
    if (this.#socket === undefined) throw new ListenError(host, port);
    this.#handover = new Handover(descriptor);
    await this.#boundReceiveBuffer(descriptor);
  }

  /** A server that cannot do this works, but a fast client can fill its memory: so it says so. */
  async #boundReceiveBuffer(descriptor: number | undefined): Promise<void> {
    const bytes = this.#edge.limits.receiveBufferBytes;
    if (bytes === 0) return;
    const size = descriptor === undefined ? undefined : await setReceiveBuffer(descriptor, bytes);
    if (size === undefined) {
      process.emitWarning('cannot bound the receive buffer of the HTTP port (docs/limitations.md)');
    }
  }

  get port(): number {
    if (this.#socket === undefined) throw new Error('the server does not listen yet');
    return this.#socket.port;
  }

  get inFlight(): number {
    return this.#edge.inFlight;
  }

  get bufferedBytes(): number {
    return this.#edge.bufferedBytes;
  }

  separate(): Promise<boolean> {
    return this.#handover.separate();
  }

  rejoin(): Promise<void> {
    return this.#handover.rejoin();
  }

  stopListening(): void {
    this.#edge.draining = true;
    this.#socket?.close();
  }

  drain(timeoutMs: number): Promise<DrainResult> {
    const deadline = performance.now() + timeoutMs;
    this.stopListening();
    this.#idleUntil = 0;
    return (this.#finishing ??= this.#finish(deadline));
  }

  drainHandedOver(timeoutMs: number): Promise<DrainResult> {
    return (this.#finishing ??= this.#finishHandedOver(timeoutMs));
  }

  async #finishHandedOver(timeoutMs: number): Promise<DrainResult> {
    const now = performance.now();
    const deadline = now + timeoutMs;
    const { handshakeGraceMs, idleHandoverMs } = this.#edge.limits;
    this.#edge.draining = true;
    this.#idleUntil = now + idleHandoverMs;
    await this.#handover.retire();
    await this.#pause(Math.min(handshakeGraceMs, timeoutMs));
    this.stopListening();
    return this.#finish(deadline);
  }

  async #finish(deadline: number): Promise<DrainResult> {
    const { idleGraceMs } = this.#edge.limits;
    do {
      await this.#idle(deadline - performance.now());
      // A request may be on its way on a kept connection: closing that would lose it.
      const graceMs = Math.min(idleGraceMs, deadline - performance.now());
      if (graceMs > 0 && this.connections > 0) await this.#pause(graceMs);
    } while (!this.#edge.closing && this.#isNeeded() && performance.now() < deadline);
    const aborted = this.#edge.inFlight - this.#edge.lingering;
    this.close();
    return { aborted };
  }

  #isNeeded(): boolean {
    return this.#edge.inFlight > 0 || (this.connections > 0 && performance.now() < this.#idleUntil);
  }

  close(): void {
    this.#edge.closing = true;
    this.#closed.abort();
    this.#edge.onIdle?.();
    this.stopListening();
    this.#app.close();
  }

  async #pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#closed.signal }).catch(() => undefined);
  }

  /** Resolves when nothing is in flight, or after `limitMs`. */
  async #idle(limitMs: number): Promise<void> {
    if (this.#edge.inFlight === 0 || limitMs <= 0 || this.#edge.closing) return;
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
