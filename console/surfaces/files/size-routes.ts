import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { mapLimited } from '../../../src/lib/promises.js';
import { Semaphore } from '../../../src/lib/semaphore.js';
import { ApiError } from '../../server/api-error.js';
import { ComputeThread } from '../../server/compute-thread.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { readRoute } from '../../server/route-options.js';
import { BucketMeter, type BucketSize } from './bucket-size.js';
import type { SizePage, SizeTask } from './bucket-size-thread.js';
import { containerName } from './names.js';

/** The sizes of those buckets that are there, and that the user may see. */
export interface SizesView {
  readonly items: readonly BucketSize[];
}

const NAMES_MAX = 50;
const SIZES = z.strictObject({ names: z.array(containerName).max(NAMES_MAX) });

/** Buckets that one request counts at the same time; each holds a page of a listing. */
const AT_ONCE = 2;
/** The buckets that are counted at the same time, for all users together. */
const RUNNING = { capacity: 4, queueMax: 64, waitMsMax: 30_000 };
const BUSY_RETRY_S = 5;
const HEAP_MB_MAX = 256;

/** The sizes of buckets, counted on demand. */
export function sizeRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const thread = new ComputeThread<SizeTask, SizePage | undefined>({
    file: fileURLToPath(new URL('bucket-size-thread.js', import.meta.url)),
    logger: context.logger,
    heapMbMax: HEAP_MB_MAX,
  });
  app.addHook('onClose', () => thread.close());
  const meter = new BucketMeter(thread);
  const turns = new Semaphore(RUNNING);

  const counts = readRoute('read');
  app.post('/api/files/containers/sizes', counts, async (request, reply): Promise<SizesView> => {
    const { names } = parse(SIZES, request.body);
    const { store } = sessionOf(request);
    const left = new AbortController();
    reply.raw.once('close', () => {
      left.abort();
    });
    const found = await mapLimited(names, AT_ONCE, async (name) => {
      if ((await turns.enter(1)) !== undefined) {
        const message = 'The console is counting other buckets. Try again in a few seconds.';
        throw new ApiError('busy', message, undefined, BUSY_RETRY_S);
      }
      try {
        return left.signal.aborted ? undefined : await meter.measure(store, name, left.signal);
      } catch (error) {
        // The client has left, and reads no answer.
        if (left.signal.aborted) return undefined;
        throw error;
      } finally {
        turns.leave(1);
      }
    });
    return { items: found.filter((size) => size !== undefined) };
  });
}
