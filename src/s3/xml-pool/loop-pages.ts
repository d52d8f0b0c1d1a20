import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { CallContext, ContainerRef, ObjectPage, ObjectQuery } from '../../backend/backend.js';
import { isUnread, type UnreadPage } from '../../backend/unread-page.js';
import { carryError } from './carried-error.js';
import type { ListingBackend, PageSource } from '../pages/page-source.js';
import { listingKey, type LoopCall, type LoopQuestion, type LoopReply } from './page-protocol.js';

/** Thrown where a page turns out to be long: the thread begins it anew, with what is read so far. */
class LongPage extends Error {}
/** One error for all pages, since its place is never read: a stack costs as much as 50 entries. */
const LONG_PAGE = new LongPage('a long page');

type Listing = ObjectPage | UnreadPage;

/**
 * The source that one page is read from. First the event loop tries it, which suffices for a short
 * page. At the first long listing that ends, and a thread makes the page: from the listings that
 * the loop has asked for, and from those that it asks the loop for.
 */
export class LoopPages implements PageSource {
  readonly backend: ListingBackend;
  readonly call: CallContext;
  readonly readIndex: PageSource['readIndex'];
  readonly repairLink: PageSource['repairLink'];
  /** Whether a listing was long. */
  isLong = false;
  /** By their keys; not yet given to the thread. */
  readonly #listings = new Map<string, Promise<Listing>>();
  readonly #settled = new Map<string, Listing>();

  constructor(private readonly store: PageSource) {
    const { backend, call, readIndex, repairLink } = store;
    this.call = call;
    this.readIndex = readIndex;
    this.repairLink = repairLink;
    this.backend = {
      capabilities: backend.capabilities,
      headContainer: (context, ref) => backend.headContainer(context, ref),
      listObjects: async (_context, ref, query) => {
        const listing = await this.#ask(ref, query);
        if (!isUnread(listing)) return listing;
        this.isLong = true;
        throw LONG_PAGE;
      },
    };
  }

  /** The listings that are there so far; each once, since its content may be moved. */
  takeListings(): Map<string, Listing> {
    const taken = new Map(this.#settled);
    for (const key of taken.keys()) this.#forget(key);
    return taken;
  }

  /**
   * Answers the thread until the returned port, which is for the thread, is closed.
   */
  serve(): { readonly port: MessagePort; readonly close: () => void } {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', ({ id, call }: LoopQuestion) => {
      void this.#answer(call).then(
        (result) => {
          const transfer = isListing(result) && isUnread(result) ? result.transfer : [];
          port1.postMessage({ id, result } satisfies LoopReply, [...transfer]);
        },
        (error: unknown) => {
          port1.postMessage({ id, error: carryError(error) } satisfies LoopReply);
        },
      );
    });
    return {
      port: port2,
      close: () => {
        port1.close();
      },
    };
  }

  #answer(call: LoopCall): Promise<object | undefined> {
    const { backend, call: context, readIndex, repairLink } = this.store;
    switch (call.method) {
      case 'listObjects':
        return this.#take(call.ref, call.query);
      case 'headContainer':
        return backend.headContainer(context, call.ref);
      case 'readIndex':
        return readIndex(context, call.of);
      case 'repairLink':
        return repairLink(context, call.of).then(() => undefined);
    }
  }

  async #take(ref: ContainerRef, query: ObjectQuery): Promise<Listing> {
    const listing = await this.#ask(ref, query);
    this.#forget(listingKey(ref, query));
    return listing;
  }

  #forget(key: string): void {
    this.#listings.delete(key);
    this.#settled.delete(key);
  }

  #ask(ref: ContainerRef, query: ObjectQuery): Promise<Listing> {
    const key = listingKey(ref, query);
    const asked = this.#listings.get(key);
    if (asked !== undefined) return asked;
    const { backend, call } = this.store;
    const listing =
      backend.listUnread === undefined
        ? backend.listObjects(call, ref, query)
        : backend.listUnread(call, ref, query);
    this.#listings.set(key, listing);
    listing.then(
      (settled) => this.#settled.set(key, settled),
      // The caller gets the error; the loop's own attempt may be over by then.
      () => undefined,
    );
    return listing;
  }
}

function isListing(result: object | undefined): result is Listing {
  return result !== undefined && ('reader' in result || 'entries' in result);
}
