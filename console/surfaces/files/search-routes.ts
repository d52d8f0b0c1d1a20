import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { describeError } from '../../server/app-errors.js';
import { ComputeThread } from '../../server/compute-thread.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { readRoute } from '../../server/route-options.js';
import type { Session } from '../../server/sessions.js';
import { containerName, prefixText } from './names.js';
import { checkPattern, search, type SearchEnd, type SearchFailure } from './search.js';
import type { SearchAnswer, SearchHit, SearchTask } from './search-thread.js';

const SEARCH = z.strictObject({
  container: containerName,
  prefix: prefixText.default(''),
  q: z.string().min(1).max(256),
  mode: z.enum(['substring', 'glob', 'regex']).default('substring'),
  marker: z.string().max(1024).optional(),
  bytes_min: z.int().min(0).optional(),
  bytes_max: z.int().min(0).optional(),
  /** Days of UTC on which it was last changed: from, and up to and with. */
  since: z.iso.date().optional(),
  until: z.iso.date().optional(),
  pages_max: z.int().min(1).max(50).default(50),
  max_s: z.int().min(1).max(20).default(20),
});

/** Each holds a page of a listing, and they have one thread in turn. */
const RUNNING_PER_SESSION = 2;
const RUNNING_MAX = 8;
const BUSY_RETRY_S = 5;
const HEAP_MB_MAX = 256;

/** A search answers with lines of JSON, as they come; what goes wrong on the way is the last one. */
export function searchRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const running = new Map<object, Session>();
  const thread = new ComputeThread<SearchTask, SearchAnswer>({
    file: fileURLToPath(new URL('search-thread.js', import.meta.url)),
    logger: context.logger,
    heapMbMax: HEAP_MB_MAX,
  });
  app.addHook('onClose', () => thread.close());
  app.post('/api/files/search', readRoute('read'), async (request, reply) => {
    const given = parse(SEARCH, request.body);
    const session = sessionOf(request);
    const own = [...running.values()].filter((one) => one === session).length;
    if (own >= RUNNING_PER_SESSION || running.size >= RUNNING_MAX) {
      const message = 'Too many searches are running. Try again in a few seconds.';
      throw new ApiError('busy', message, undefined, BUSY_RETRY_S);
    }
    running.set(given, session);
    try {
      if (given.mode === 'regex') await checkPattern(thread, given);
    } catch (error) {
      running.delete(given);
      throw error;
    }
    const left = new AbortController();
    const deadline = AbortSignal.timeout(given.max_s * 1000);
    const signal = AbortSignal.any([left.signal, deadline]);
    const found = search(session.store, thread, given, given, signal);
    const stream = Readable.from(
      linesOf(found, (error) => {
        const { code, message } = describeError(context, error, request.id);
        return { error: { code, message, request_id: request.id } };
      }),
    );
    stream.once('close', () => {
      running.delete(given);
      left.abort();
    });
    return reply.type('application/x-ndjson').send(stream);
  });
}

async function* linesOf(
  found: AsyncIterable<SearchHit | SearchEnd>,
  describe: (error: unknown) => SearchFailure,
): AsyncGenerator<string> {
  try {
    for await (const one of found) yield line(one);
  } catch (error) {
    yield line(describe(error));
  }
}

function line(value: SearchHit | SearchEnd | SearchFailure): string {
  return `${JSON.stringify(value)}\n`;
}
