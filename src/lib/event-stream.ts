import { Readable } from 'node:stream';

/** The time between two signs of life. */
const PING_MS = 15_000;

/**
 * Server-sent events for one reader. A sign of life is an event and no comment, so that pages can
 * take its absence for a connection that is dead.
 */
export class EventStream extends Readable {
  readonly #ping = setInterval(() => {
    this.tell('ping', '{}');
  }, PING_MS);
  #isOver = false;

  /** @param unreadBytesMax - a reader that leaves more than this unread is cut off */
  constructor(private readonly unreadBytesMax: number) {
    super({ read: () => undefined });
  }

  /**
   * @param data - JSON
   * @param id - what a reader that comes back says that it had last
   * @param retryMs - the time after which a reader that is cut off is to come back
   */
  tell(event: string, data: string, id?: string, retryMs?: number): void {
    const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
    const place = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${retry}${place}event: ${event}\ndata: ${data}\n\n`);
  }

  /** Says after what time a reader that is cut off is to come back, and with which id. */
  retryAfter(ms: number, id: string): void {
    this.#write(`retry: ${ms}\nid: ${id}\n\n`);
  }

  /** Ends when all that was told has been read, however long the reader takes for that. */
  finish(): void {
    this.#isOver = true;
    clearInterval(this.#ping);
    this.push(null);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#isOver = true;
    clearInterval(this.#ping);
    callback(error);
  }

  #write(text: string): void {
    if (this.#isOver) return;
    this.push(text);
    if (this.readableLength > this.unreadBytesMax) this.destroy();
  }
}
