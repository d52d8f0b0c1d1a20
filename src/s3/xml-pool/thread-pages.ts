import type { MessagePort } from 'node:worker_threads';
import type {
  CallContext,
  ContainerHead,
  ContainerRef,
  ObjectPage,
  ObjectQuery,
} from '../../backend/backend.js';
import {
  isUnread,
  showEntries,
  type PageReader,
  type PageReaderName,
  type UnreadPage,
} from '../../backend/unread-page.js';
import { carriedError } from './carried-error.js';
import type { ListingBackend, PageSource } from '../pages/page-source.js';
import type { VersionIndex } from '../versions/version-entry.js';
import { listingKey, type LoopCall, type LoopReply, type PageTask } from './page-protocol.js';

type Listing = ObjectPage | UnreadPage;

interface Waiter {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The source of a page on a thread: the data of its task, and answers from the event loop. */
export class ThreadPages implements PageSource {
  readonly backend: ListingBackend;
  readonly call: CallContext;
  readonly #port: MessagePort | undefined;
  readonly #listings: Map<string, Listing>;
  readonly #waiting = new Map<number, Waiter>();
  #asked = 0;

  /** @param readerOf - the readers of listings that stores left unread */
  constructor(
    { requestId, capabilities, listings, port }: PageTask,
    private readonly readerOf: (name: PageReaderName) => Promise<PageReader>,
  ) {
    this.call = { requestId };
    this.#port = port;
    this.#listings = new Map(listings);
    this.backend = {
      capabilities,
      listObjects: async (_call, ref, query) => {
        const listing = await this.#listing(ref, query);
        if (!isUnread(listing)) return listing;
        return (await this.readerOf(listing.reader)).read(listing.data);
      },
      visitObjects: async (_call, ref, query, visitor) => {
        const listing = await this.#listing(ref, query);
        if (isUnread(listing)) {
          return (await this.readerOf(listing.reader)).visit(listing.data, visitor);
        }
        showEntries(listing.entries, visitor);
        return listing.truncated;
      },
      headContainer: (_call, ref) => this.#ask<ContainerHead>({ method: 'headContainer', ref }),
    };
  }

  readonly readIndex: PageSource['readIndex'] = (_call, of) =>
    this.#ask<VersionIndex>({ method: 'readIndex', of });

  readonly repairLink: PageSource['repairLink'] = (_call, of) =>
    this.#ask<undefined>({ method: 'repairLink', of });

  close(): void {
    this.#port?.close();
  }

  #listing(ref: ContainerRef, query: ObjectQuery): Listing | Promise<Listing> {
    const key = listingKey(ref, query);
    const given = this.#listings.get(key);
    this.#listings.delete(key);
    return given ?? this.#ask<Listing>({ method: 'listObjects', ref, query });
  }

  #ask<Result>(call: LoopCall): Promise<Result> {
    if (this.#port === undefined)
      return Promise.reject(new Error(`a page asked for ${call.method}`));
    if (this.#asked === 0) this.#listen();
    const id = this.#asked++;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve, reject });
      this.#port?.postMessage({ id, call });
    });
  }

  #listen(): void {
    this.#port?.on('message', (reply: LoopReply) => {
      const waiter = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) waiter?.reject(carriedError(reply.error));
      else waiter?.resolve(reply.result);
    });
  }
}
