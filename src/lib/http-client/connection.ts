import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ReadSlabs } from '../buffers/read-slabs.js';
import { Deadline, TimeoutError } from './deadline.js';
import { OWN_BYTES, ReadMemory } from './read-memory.js';
import { ResponseParser, type HeadListener } from './response-parser.js';

/** The options of connections to a server. */
export interface ConnectionOptions {
  /** `http:` or `https:`, host and port; nothing else of it is looked at. */
  readonly origin: URL;
  readonly connectTimeoutMs: number;
  /** How long a connection without a request is kept; 0: it is closed after each response. */
  readonly keepAliveMs: number;
  /** Bytes of one response's head. */
  readonly headBytesMax: number;
}

/**
 * Hears from a connection about one request; nothing more after `onEnd`, `onError` or `abort`.
 */
export interface Exchange extends HeadListener {
  /** The connection is the exchange's until its response is complete. */
  onReady(connection: Connection): void;
  /**
   * A part of the body. Its memory is the connection's own.
   * @returns false to read no more, and to leave that memory alone, until `resume`
   */
  onData(bytes: Buffer): boolean;
  onEnd(): void;
  /** The time that was set with `arm` is over. */
  onTimeout(): void;
  /** There is no connection, or it broke, or what came over it is not HTTP. */
  onError(error: Error): void;
}

/** The pool that a connection belongs to. */
export interface ConnectionOwner {
  /** It is free for another request. */
  freed(connection: Connection): void;
  closed(connection: Connection): void;
}

/** Sessions of TLS, so that only the first connection to a server needs a whole handshake. */
export interface TlsSessions {
  last: Buffer | undefined;
}

/** A server that is gone without a word is noticed after this. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/** A server closes when its own clock says so: we stop a second before it. */
const PERSISTENCE_MARGIN_MS = 1_000;

/** A body up to this is copied behind the head, which costs less than to hand over two pieces. */
const JOINED_BYTES_MAX = 16 * 1024;

/**
 * One connection to a server: it carries one request at a time, and is used again when both sides
 * are sure where its response has ended.
 *
 * Over TCP it reads into memory that is used again. Over TLS it reads from the socket's stream:
 * Node goes on to deliver what it has decrypted when it is told to stop, so that memory that is lent
 * would be overwritten.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #parser: ResponseParser;
  readonly #memory: ReadMemory;
  readonly #deadline = new Deadline(() => {
    this.#onDeadline();
  });
  readonly #isSecure: boolean;
  #exchange: Exchange | undefined;
  #isConnected = false;
  #isClosed = false;
  /** The last byte of the request was handed to the socket. */
  #isSent = true;
  /** The reader still has the bytes that it was given. */
  #isLent = false;
  /** The response is complete, and its reader does not know yet. */
  #isEndDue = false;

  /** @param exchange the first one, which is told when the connection is there, or that it is not */
  constructor(
    private readonly options: ConnectionOptions,
    slabs: ReadSlabs,
    sessions: TlsSessions,
    private readonly owner: ConnectionOwner,
    exchange: Exchange,
  ) {
    this.#exchange = exchange;
    this.#parser = new ResponseParser(options.headBytesMax);
    this.#memory = new ReadMemory(slabs);
    const { origin, connectTimeoutMs } = options;
    const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
    this.#isSecure = origin.protocol === 'https:';
    if (this.#isSecure) {
      this.#socket = this.#connectTls(host, Number(origin.port || 443), sessions);
    } else {
      const onread = {
        buffer: (): Buffer => this.#memory.current,
        callback: (count: number): boolean =>
          this.#onBytes(this.#memory.current.subarray(0, count)),
      };
      this.#socket = connectTcp({ host, port: Number(origin.port || 80), onread });
      this.#socket.once('connect', this.#onConnected);
    }
    this.#socket
      .setNoDelay(true)
      .setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
      .on('end', this.#onEnd)
      .on('error', this.#onError)
      .on('close', this.#onClose);
    this.#deadline.arm(connectTimeoutMs);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Hands a free connection to an exchange. */
  use(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#deadline.clear();
    this.#socket.ref();
    exchange.onReady(this);
  }

  /** The exchange has not sent anything, and does not want to. */
  giveBack(): void {
    this.#exchange = undefined;
    this.#free(this.options.keepAliveMs);
  }

  /**
   * Sends a request, or the head of one.
   * @param head as of formatRequestHead
   * @param isHead whether it is HEAD
   * @param body all of it, unchanged until the response is there; undefined when the rest of the
   *   request comes with `write` and `endRequest`
   */
  send(head: string, isHead: boolean, body: Buffer | undefined): void {
    this.#parser.begin(isHead);
    this.#isSent = body !== undefined;
    const socket = this.#socket;
    if (body === undefined || body.length === 0) {
      socket.write(head, 'latin1');
    } else if (body.length <= JOINED_BYTES_MAX) {
      const joined = Buffer.allocUnsafe(head.length + body.length);
      joined.write(head, 0, 'latin1');
      joined.set(body, head.length);
      socket.write(joined);
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  /** Sends pieces of a body. @param taken called when their memory may be used again */
  write(pieces: readonly (Buffer | string)[], taken: () => void): void {
    const socket = this.#socket;
    if (pieces.length > 1) socket.cork();
    const last = pieces.length - 1;
    for (let i = 0; i < last; i++) socket.write(pieces[i] ?? '', 'latin1');
    socket.write(pieces[last] ?? '', 'latin1', taken);
    if (pieces.length > 1) socket.uncork();
  }

  /** All of the request was given to `write`. */
  endRequest(): void {
    this.#isSent = true;
  }

  /** Tells the exchange when so many milliseconds are over; replaces what was set before. */
  arm(ms: number): void {
    this.#deadline.arm(ms);
  }

  disarm(): void {
    this.#deadline.clear();
  }

  /** The reader is done with all that it was given: reads on. */
  resume(): void {
    if (this.#isClosed) return;
    this.#isLent = false;
    if (this.#isEndDue) this.#finish();
    if (!this.#socket.destroyed) this.#socket.resume();
  }

  /** Ends the connection; the exchange is told nothing any more. */
  abort(): void {
    this.#exchange = undefined;
    this.#close();
  }

  /** Ends the connection, and tells the exchange why. */
  destroy(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#close();
    exchange?.onError(error);
  }

  #connectTls(host: string, port: number, sessions: TlsSessions): TLSSocket {
    const socket = connectTls({
      host,
      port,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      session: sessions.last,
    });
    socket.once('secureConnect', this.#onConnected);
    socket.on('session', (session) => {
      sessions.last = session;
    });
    socket.on('data', (bytes: Buffer) => {
      if (!this.#onBytes(bytes)) socket.pause();
    });
    return socket;
  }

  readonly #onConnected = (): void => {
    this.#isConnected = true;
    this.#deadline.clear();
    this.#socket.resume();
    this.#exchange?.onReady(this);
  };

  /** @returns whether to read on */
  #onBytes(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined || this.#isEndDue) {
      // No request asked for it: it is no answer to anything that is asked later.
      this.destroy(new Error('the server sent more than it was asked for'));
      return false;
    }
    let body: Buffer;
    try {
      body = this.#parser.read(bytes, exchange);
    } catch (error) {
      this.destroy(error as Error);
      return false;
    }
    // The exchange may have been given up while it was told of the head.
    if (!this.#carries(exchange)) return false;
    if (body.length > 0) this.#isLent = !exchange.onData(body);
    if (!this.#carries(exchange)) return false;
    if (!this.#isSecure) {
      const isMuch = this.#parser.bytesLeft > OWN_BYTES && bytes.length >= OWN_BYTES / 2;
      this.#memory.choose(isMuch, this.#isLent);
    }
    if (this.#parser.isDone) {
      if (this.#isLent) this.#isEndDue = true;
      else this.#finish();
    }
    return !this.#isLent && !this.#isClosed;
  }

  #carries(exchange: Exchange): boolean {
    return this.#exchange === exchange;
  }

  /** The response is complete, and read. */
  #finish(): void {
    const exchange = this.#exchange;
    this.#isEndDue = false;
    this.#exchange = undefined;
    this.#memory.giveBack();
    this.#free(this.#keepMs());
    exchange?.onEnd();
  }

  /** How long the connection may wait for its next request; 0 when it cannot have one. */
  #keepMs(): number {
    const { head, hasExcess } = this.#parser;
    const isFlushed = this.#isSent && this.#socket.writableLength === 0;
    if (head === undefined || !head.persists || hasExcess || !isFlushed) return 0;
    const { keepAliveMs } = this.options;
    if (head.persistsMs === undefined) return keepAliveMs;
    return Math.min(keepAliveMs, head.persistsMs - PERSISTENCE_MARGIN_MS);
  }

  #free(keepMs: number): void {
    if (keepMs <= 0) {
      this.#close();
      return;
    }
    this.#deadline.arm(keepMs);
    this.#socket.unref();
    this.owner.freed(this);
  }

  #onDeadline(): void {
    if (!this.#isConnected) {
      const { connectTimeoutMs } = this.options;
      this.destroy(new TimeoutError(`no connection within ${connectTimeoutMs} ms`));
    } else if (this.#exchange === undefined) this.#close();
    else this.#exchange.onTimeout();
  }

  readonly #onEnd = (): void => {
    if (this.#exchange !== undefined && this.#parser.head !== undefined && this.#parser.end()) {
      this.#finish();
    }
    this.destroy(new Error('the server closed the connection'));
  };

  readonly #onError = (error: Error): void => {
    this.destroy(error);
  };

  readonly #onClose = (): void => {
    this.destroy(new Error('the connection was closed'));
    this.#memory.end(this.#isLent);
  };

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deadline.close();
    this.#socket.destroy();
    this.owner.closed(this);
  }
}
