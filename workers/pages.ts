import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { carryError } from '../src/s3/xml-pool/carried-error.js';
import type { PageAnswer, PageTask } from '../src/s3/xml-pool/page-protocol.js';
import { ThreadPages } from '../src/s3/xml-pool/thread-pages.js';
import { renderPage, type PageParameters } from '../src/s3/pages/index.js';
import { scratch, ScratchBytes } from '../src/lib/buffers/scratch-memory.js';
import type { Document } from '../src/s3/xml/document-bytes.js';
import { readerOf } from './page-readers.js';
import { yieldToEventLoops } from './thread-priority.js';

if (!isMainThread) yieldToEventLoops();

/** Makes one page. */
export default async function run(task: PageTask): Promise<unknown> {
  const startedAt = performance.now();
  const { name, parameters, memory } = task;
  if (memory !== undefined) scratch.give(Buffer.from(memory));
  const pages = new ThreadPages(task, readerOf);
  const runS = (): number => (performance.now() - startedAt) / 1000;
  try {
    const document = await renderPage(name, pages, parameters as PageParameters<typeof name>);
    return moved({ ...handedOver(document), runS: runS() });
  } catch (error) {
    return { error: carryError(error), runS: runS() } satisfies PageAnswer;
  } finally {
    pages.close();
  }
}

/** The document in memory of its own. */
function handedOver(document: Document): { memory: ArrayBuffer; start: number; length: number } {
  if (document instanceof ScratchBytes) {
    const { memory, start } = document.handOver();
    return { memory: memory.buffer, start, length: document.length };
  }
  // Shared with others, as small buffers are: only a copy can be moved.
  const { buffer: memory, length } = new Uint8Array(Buffer.from(document));
  return { memory, start: 0, length };
}

/** As piscina wants what is moved, and not copied. */
function moved(answer: PageAnswer & { readonly memory: ArrayBuffer }) {
  return move({ [transferableSymbol]: [answer.memory], [valueSymbol]: answer });
}
