import type { ReadSlabs } from '../buffers/read-slabs.js';
import {
  Connection,
  type ConnectionOptions,
  type ConnectionOwner,
  type Exchange,
  type TlsSessions,
} from './connection.js';
import { Deadline, TimeoutError } from './deadline.js';

export interface HttpPoolOptions extends ConnectionOptions {
  /** Connections to the server, those that are being made included. */
  readonly connectionsMax: number;
  /** How long an exchange may wait for one. */
  readonly waitTimeoutMs: number;
}

/**
 * Connections to one server over HTTP/1.1, kept open between requests. The one that was used last is
 * used first, so that those that are not needed grow old and are closed.
 */
export class HttpPool implements ConnectionOwner {
  readonly #open = new Set<Connection>();
  readonly #free: Connection[] = [];
  /**
   * Exchanges for which there is no connection, in the order in which they came, and until when each
   * waits.
   */
  readonly #waiting = new Map<Exchange, number>();
  /** The end of the first one's wait. */
  readonly #deadline = new Deadline(() => {
    this.#endWaits();
  });
  readonly #sessions: TlsSessions = { last: undefined };
  #isRetired = false;
  #isDestroyed = false;

  /** @param slabs memory for long bodies, which pools may share */
  constructor(
    private readonly options: HttpPoolOptions,
    private readonly slabs: ReadSlabs,
  ) {}

  /** For the header `Host`. */
  get host(): string {
    return this.options.origin.host;
  }

  /** Connections that are open, in use or not. */
  get connected(): number {
    let count = 0;
    for (const connection of this.#open) if (connection.isConnected) count += 1;
    return count;
  }

  /**
   * Gives the exchange a connection, at once where one is free. It waits where there are as many as
   * there may be, for `waitTimeoutMs`, and is then told a TimeoutError: a caller that has a bound of
   * its own below that number never waits.
   */
  start(exchange: Exchange): void {
    const free = this.#free.pop();
    if (free !== undefined) free.use(exchange);
    else if (this.#isDestroyed) exchange.onError(closedError());
    else if (this.#open.size < this.options.connectionsMax) this.#connect(exchange);
    else this.#wait(exchange);
  }

  /**
   * The exchange wants no connection any more: if it waits for one, it waits no longer, and is told
   * nothing. One for which a connection is being made is told when it is there.
   */
  leave(exchange: Exchange): void {
    this.#waiting.delete(exchange);
  }

  /** Ends the connections that are not in use, and others as soon as they are not. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of [...this.#free]) connection.abort();
  }

  /** Ends all connections, those in use included, and whatever waits for one. */
  destroy(): void {
    this.#isDestroyed = true;
    const waiting = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.#deadline.close();
    for (const exchange of waiting) exchange.onError(closedError());
    for (const connection of [...this.#open]) connection.destroy(closedError());
  }

  freed(connection: Connection): void {
    const next = this.#nextWaiting();
    if (next !== undefined) connection.use(next);
    else if (this.#isRetired) connection.abort();
    else this.#free.push(connection);
  }

  closed(connection: Connection): void {
    this.#open.delete(connection);
    const index = this.#free.lastIndexOf(connection);
    if (index !== -1) this.#free.splice(index, 1);
    const next = this.#isDestroyed ? undefined : this.#nextWaiting();
    if (next !== undefined) this.#connect(next);
  }

  #nextWaiting(): Exchange | undefined {
    // A Map is in the order of its insertions.
    for (const exchange of this.#waiting.keys()) {
      this.#waiting.delete(exchange);
      return exchange;
    }
    return undefined;
  }

  #wait(exchange: Exchange): void {
    const { waitTimeoutMs } = this.options;
    if (this.#waiting.size === 0) this.#deadline.arm(waitTimeoutMs);
    this.#waiting.set(exchange, performance.now() + waitTimeoutMs);
  }

  #endWaits(): void {
    const now = performance.now();
    for (const [exchange, until] of this.#waiting) {
      // The exchange that was first may have left, or have been served.
      if (until - now > 1) {
        this.#deadline.arm(until - now);
        return;
      }
      this.#waiting.delete(exchange);
      exchange.onError(
        new TimeoutError(`no connection was free in ${this.options.waitTimeoutMs} ms`),
      );
    }
  }

  #connect(exchange: Exchange): void {
    this.#open.add(new Connection(this.options, this.slabs, this.#sessions, this, exchange));
  }
}

function closedError(): Error {
  return new Error('the connections to the server were closed');
}
