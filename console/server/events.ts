import type { Readable } from 'node:stream';
import { EventStream } from '../../src/lib/event-stream.js';
import { ApiError } from './api-error.js';
import { hasRight, type Right } from './rights.js';
import type { Session } from './sessions.js';

/** A subject of a stream of events. */
export interface EventTopic {
  readonly name: string;
  /** The right that it takes to listen. */
  readonly access: Right;
  /** The number of events that are kept for pages that were cut off. */
  readonly events: number;
}

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
  readonly stream: EventStream;
}

/** The limit of one topic's ring. */
const RING_BYTES_MAX = 192 * 1024;
const LISTENERS_PER_SESSION = 8;
const RETRY_MS = 3000;
/** A page without a place comes back so much later, and asks for news meanwhile. */
const FULL_RETRY_MS = 15_000;
/** A client that leaves more than this unread is cut off, and comes back with `Last-Event-ID`. */
const UNREAD_BYTES_MAX = 256 * 1024;
/** The limit of a replay to a listener that comes back: less than it may leave unread. */
const REPLAY_BYTES_MAX = 192 * 1024;

/**
 * Server-sent events: a stream for each tab, and for each topic a ring from which one that was cut
 * goes on. An id names this run of the console too: those of a former one are of other events.
 */
export class Events {
  readonly #rings: ReadonlyMap<string, TopicRing>;
  readonly #epoch: string;
  #nextId = 1;
  readonly #listeners = new Set<Listener>();

  constructor(topics: readonly EventTopic[], epoch = Date.now()) {
    this.#rings = new Map(topics.map((topic) => [topic.name, new TopicRing(topic)]));
    this.#epoch = epoch.toString(36);
  }

  publish(topic: string, data: unknown, session?: Session): void {
    const ring = this.#rings.get(topic);
    if (ring === undefined) throw new Error(`no such topic: ${topic}`);
    const event = { id: this.#nextId++, topic, data: JSON.stringify(data), session };
    ring.keep(event);
    for (const listener of this.#listeners) this.#offer(listener, event);
  }

  /**
   * @param lastId of the last event that was received, as `Last-Event-ID` says it; undefined for a
   *   new stream
   * @param page an id that a page has made for itself: it has one stream, whose connection may be
   *   dead without a sign of it when it comes for the next one
   * @throws ApiError invalid_argument for a topic that there is not; forbidden for one that the
   *   role may not hear
   */
  subscribe(
    session: Session,
    topics: readonly string[],
    lastId: string | undefined,
    page?: string,
  ): Readable {
    this.#check(session, topics);
    const own = [...this.#listeners].filter((one) => one.session === session);
    const former = page === undefined ? undefined : own.find((one) => one.page === page);
    if (former !== undefined) this.#drop(former);
    const stream = new EventStream(UNREAD_BYTES_MAX);
    // No other listener is cut off for a new one: it would come back, and cut off the next one, for
    // ever.
    if (former === undefined && own.length >= LISTENERS_PER_SESSION) {
      stream.tell('full', '{}', undefined, FULL_RETRY_MS);
      stream.finish();
      return stream;
    }
    const listener = { session, page, topics: new Set(topics), stream };
    this.#listeners.add(listener);
    const onEnd = () => {
      stream.tell('session_end', '{}');
      stream.finish();
      this.#listeners.delete(listener);
    };
    session.ended.signal.addEventListener('abort', onEnd, { once: true });
    stream.once('close', () => {
      this.#listeners.delete(listener);
      session.ended.signal.removeEventListener('abort', onEnd);
    });
    stream.retryAfter(RETRY_MS, this.#idOf(this.#nextId - 1));
    if (lastId !== undefined) this.#replay(listener, lastId);
    return stream;
  }

  #check(session: Session, topics: readonly string[]): void {
    for (const topic of topics) {
      const ring = this.#rings.get(topic);
      if (ring === undefined) throw new ApiError('invalid_argument', 'Event topic not found.');
      if (!hasRight(session.user.role, ring.topic.access)) {
        throw new ApiError('forbidden', 'Your role does not allow this.');
      }
    }
  }

  #replay(listener: Listener, lastId: string): void {
    const [epoch, number = ''] = lastId.split('-');
    const last = epoch === this.#epoch && /^\d+$/.test(number) ? Number(number) : undefined;
    const rings = [...listener.topics].flatMap((topic) => this.#rings.get(topic) ?? []);
    const missed =
      last === undefined || last >= this.#nextId || rings.some((ring) => ring.isOlder(last))
        ? undefined
        : rings.flatMap((ring) => ring.after(last)).sort((a, b) => a.id - b.id);
    const bytes = missed?.reduce((sum, event) => sum + sizeOf(event), 0) ?? Infinity;
    // Some events are gone: what the page shows has to be asked for anew.
    if (missed === undefined || bytes > REPLAY_BYTES_MAX) listener.stream.tell('reset', '{}');
    else for (const event of missed) this.#offer(listener, event);
  }

  #offer(listener: Listener, { id, topic, data, session }: Event): void {
    if (session !== undefined && session !== listener.session) return;
    if (!listener.topics.has(topic)) return;
    listener.stream.tell(topic, data, this.#idOf(id));
  }

  #idOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  #drop(listener: Listener): void {
    this.#listeners.delete(listener);
    listener.stream.destroy();
  }

  close(): void {
    for (const { stream } of this.#listeners) stream.destroy();
  }
}

/** The latest events of a topic. */
class TopicRing {
  #events: Event[] = [];
  #bytes = 0;
  /** The id of the latest event that is not kept any more. */
  #lost = 0;

  constructor(readonly topic: EventTopic) {}

  keep(event: Event): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    while (this.#events.length > this.topic.events || this.#bytes > RING_BYTES_MAX) {
      const oldest = this.#events.shift();
      if (oldest === undefined) return;
      this.#bytes -= sizeOf(oldest);
      this.#lost = oldest.id;
    }
  }

  /** Whether events after this one are gone. */
  isOlder(id: number): boolean {
    return id < this.#lost;
  }

  after(id: number): Event[] {
    return this.#events.filter((event) => event.id > id);
  }
}

/** The size with the frame around it. */
function sizeOf({ topic, data }: Event): number {
  return Buffer.byteLength(data) + topic.length + 50;
}
