import { Readable } from 'node:stream';
import type { Session } from './sessions.js';

interface Event {
  readonly id: number;
  readonly topic: string;
  readonly data: string;
  /** The session that it is for; undefined for all. */
  readonly session: Session | undefined;
}

interface Listener {
  readonly session: Session;
  /** Which page it is, where that says so. */
  readonly page: string | undefined;
  readonly topics: ReadonlySet<string>;
  readonly stream: Readable;
}

const RING_EVENTS = 1000;
/** Less than a listener may leave unread: the whole ring can be sent again. */
const RING_BYTES_MAX = 192 * 1024;
const PING_MS = 15_000;
/** An event, and no comment: pages take its absence for a connection that is dead. */
const PING = 'event: ping\ndata: {}\n\n';
const LISTENERS_PER_SESSION = 8;
/** The answer to a page without a place: come back later, and ask for news meanwhile. */
const FULL = 'retry: 15000\nevent: full\ndata: {}\n\n';
/** A client that leaves more than this unread is cut off, and comes back with `Last-Event-ID`. */
const UNREAD_BYTES_MAX = 256 * 1024;

/** Server-sent events: a stream for each tab, and a ring from which one that was cut goes on. */
export class Events {
  #ring: Event[] = [];
  #ringBytes = 0;
  #nextId = 1;
  readonly #listeners = new Set<Listener>();
  readonly #ping = setInterval(() => {
    for (const listener of this.#listeners) push(listener, PING);
  }, PING_MS).unref();

  publish(topic: string, data: unknown, session?: Session): void {
    const event = { id: this.#nextId++, topic, data: JSON.stringify(data), session };
    this.#keep(event);
    for (const listener of this.#listeners) offer(listener, event);
  }

  /**
   * @param lastId of the last event that was received; undefined for a new stream
   * @param page an id that a page has made for itself: it has one stream, whose connection may be
   *   dead without a sign of it when it comes for the next one
   */
  subscribe(
    session: Session,
    topics: readonly string[],
    lastId: number | undefined,
    page?: string,
  ): Readable {
    const own = [...this.#listeners].filter((one) => one.session === session);
    const former = page === undefined ? undefined : own.find((one) => one.page === page);
    if (former !== undefined) this.#drop(former);
    // No other listener is cut off for a new one: it would come back, and cut off the next one, for
    // ever.
    else if (own.length >= LISTENERS_PER_SESSION) return Readable.from([FULL]);
    const stream = new Readable({ read: () => undefined });
    const listener = { session, page, topics: new Set(topics), stream };
    this.#listeners.add(listener);
    const onEnd = () => {
      push(listener, 'event: session_end\ndata: {}\n\n');
      stream.push(null);
      this.#listeners.delete(listener);
    };
    session.ended.signal.addEventListener('abort', onEnd, { once: true });
    stream.once('close', () => {
      this.#listeners.delete(listener);
      session.ended.signal.removeEventListener('abort', onEnd);
    });
    push(listener, `retry: 3000\nid: ${this.#nextId - 1}\n\n`);
    if (lastId !== undefined) {
      for (const event of this.#ring) if (event.id > lastId) offer(listener, event);
    }
    return stream;
  }

  #drop(listener: Listener): void {
    this.#listeners.delete(listener);
    listener.stream.destroy();
  }

  #keep(event: Event): void {
    this.#ring.push(event);
    this.#ringBytes += sizeOf(event);
    while (this.#ring.length > RING_EVENTS || this.#ringBytes > RING_BYTES_MAX) {
      const oldest = this.#ring.shift();
      if (oldest === undefined) return;
      this.#ringBytes -= sizeOf(oldest);
    }
  }

  close(): void {
    clearInterval(this.#ping);
    for (const { stream } of this.#listeners) stream.destroy();
  }
}

/** The size with the frame around it. */
function sizeOf({ topic, data }: Event): number {
  return Buffer.byteLength(data) + topic.length + 40;
}

function offer(listener: Listener, { id, topic, data, session }: Event): void {
  if (session !== undefined && session !== listener.session) return;
  if (!listener.topics.has(topic)) return;
  push(listener, `id: ${id}\nevent: ${topic}\ndata: ${data}\n\n`);
}

function push({ stream }: Listener, text: string): void {
  if (stream.destroyed || stream.readableEnded) return;
  stream.push(text);
  if (stream.readableLength > UNREAD_BYTES_MAX) stream.destroy();
}
