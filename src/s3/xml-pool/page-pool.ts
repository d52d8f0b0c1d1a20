import type { MessagePort } from 'node:worker_threads';
import { isUnread } from '../../backend/unread-page.js';
import { scratch, ScratchBytes } from '../../lib/buffers/scratch-memory.js';
import { carriedError } from './carried-error.js';
import {
  PAGES_OF_ONE_LISTING,
  renderPage,
  type PageName,
  type PageParameters,
} from '../pages/index.js';
import type { PageSource } from '../pages/page-source.js';
import { PoolThread, type PoolThreadOptions, type PoolThreadStats } from './pool-thread.js';
import type { Document } from '../xml/document-bytes.js';
import { LoopPages } from './loop-pages.js';
import type { PageRenderer } from './page-renderer.js';
import type { MadePage, PageAnswer, PageTask } from './page-protocol.js';

export type PagePoolOptions = Partial<PoolThreadOptions>;

const DEFAULTS: PoolThreadOptions = {
  // Each may hold a listing of half a megabyte.
  tasksMax: 128,
  // One is rendered while others wait for answers of the loop, or are on their way.
  tasksAtOnce: 4,
  waitMsMax: 10_000,
  idleTimeoutMs: 60_000,
  workerFile: new URL('../../../workers/pages.js', import.meta.url).href,
  onTask: () => undefined,
};

/**
 * Makes pages of listings: short ones on the event loop, long ones on a thread of its own, which
 * starts with the first of them. The loop hands over bytes and gets bytes back, since to hand over a
 * thousand entries takes it as long as to render them: a page of 1000 keys is 0.5 ms of work.
 */
export interface PagePool extends PageRenderer {
  stats(): PoolThreadStats;
  /** Ends the thread after what was begun; resolves when it is gone. Later long pages fail. */
  close(): Promise<void>;
}

export function createPagePool(options: PagePoolOptions = {}): PagePool {
  return new ThreadedRenderer({ ...DEFAULTS, ...options });
}

class ThreadedRenderer implements PagePool {
  readonly #thread: PoolThread<PageTask, PageAnswer>;

  constructor(options: PoolThreadOptions) {
    this.#thread = new PoolThread(options);
  }

  async render<Name extends PageName>(
    name: Name,
    source: PageSource,
    parameters: PageParameters<Name>,
  ): Promise<Document> {
    const pages = new LoopPages(source);
    try {
      return await renderPage(name, pages, parameters);
    } catch (error) {
      if (!pages.isLong) throw error;
    }
    return this.#renderOnThread(name, pages, parameters);
  }

  stats(): PoolThreadStats {
    return this.#thread.stats();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #renderOnThread(name: PageName, pages: LoopPages, parameters: unknown): Promise<Document> {
    let close = (): void => undefined;
    try {
      const answer = await this.#thread.run(() => {
        if (PAGES_OF_ONE_LISTING.has(name)) return taskOf(name, pages, parameters, undefined);
        const served = pages.serve();
        close = served.close;
        return taskOf(name, pages, parameters, served.port);
      }, pages.call);
      if ('error' in answer) throw carriedError(answer.error);
      return documentOf(answer);
    } finally {
      close();
    }
  }
}

type Moved = ArrayBuffer | MessagePort;

function taskOf(
  name: PageName,
  pages: LoopPages,
  parameters: unknown,
  port: MessagePort | undefined,
): { task: PageTask; transfer: Moved[] } {
  const { requestId } = pages.call;
  const { capabilities } = pages.backend;
  const listings = pages.takeListings();
  const memory = scratch.takeKept()?.buffer;
  const transfer: Moved[] = [];
  if (port !== undefined) transfer.push(port);
  if (memory !== undefined) transfer.push(memory);
  for (const listing of listings.values()) {
    if (isUnread(listing)) transfer.push(...listing.transfer);
  }
  const task = { name, parameters, requestId, capabilities, listings, port, memory };
  return { task, transfer };
}

/** A piece of scratch memory goes back there when it is sent. */
function documentOf({ memory, start, length }: MadePage): Document {
  const bytes = Buffer.from(memory);
  if (bytes.length === length) return bytes;
  return new ScratchBytes(scratch, bytes, length, start);
}
