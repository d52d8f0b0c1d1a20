import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { SwiftAccount } from '../../swift/account.js';
import { globMatcher } from './glob.js';
import { containerName, prefixText } from './names.js';
import { listObjects, LISTING_LIMIT, type ObjectRow } from './swift-listing.js';

const SEARCH = z.strictObject({
  container: containerName,
  prefix: prefixText.default(''),
  q: z.string().min(1).max(256),
  mode: z.enum(['substring', 'glob']).default('substring'),
  marker: z.string().max(1024).optional(),
  bytes_min: z.int().min(0).optional(),
  bytes_max: z.int().min(0).optional(),
  pages_max: z.int().min(1).max(50).default(50),
  max_s: z.int().min(1).max(20).default(20),
});
const HITS_MAX = 1000;

/**
 * Swift has no search: this reads listings within limits, sends hits as lines of JSON, and ends
 * with a line that says how far it came.
 */
export function searchRoutes(app: FastifyInstance, context: ConsoleContext): void {
  app.post('/api/files/search', { config: { access: 'read' } }, (request, reply) => {
    const given = parse(SEARCH, request.body);
    const lines = search(sessionOf(request).store, given, context.now, (error) => {
      const { code, message } = describeError(context, error, request.id);
      return { error: { code, message, request_id: request.id } };
    });
    return reply.type('application/x-ndjson').send(Readable.from(lines));
  });
}

async function* search(
  store: SwiftAccount,
  given: z.infer<typeof SEARCH>,
  now: () => number,
  describe: (error: unknown) => unknown,
): AsyncGenerator<string> {
  const matches = matcherOf(given);
  const deadlineMs = now() + given.max_s * 1000;
  let { marker } = given;
  let scanned = 0;
  let hits = 0;
  try {
    for (let page = 0; page < given.pages_max; page++) {
      const query = { prefix: given.prefix || undefined, marker, limit: LISTING_LIMIT };
      const rows = (await listObjects(store, given.container, query)) as ObjectRow[];
      for (const row of rows) {
        scanned += 1;
        marker = row.name;
        if (!matches(row)) continue;
        yield line({ name: row.name, bytes: row.bytes, last_modified: `${row.last_modified}Z` });
        if (++hits === HITS_MAX) {
          yield line({ scanned, truncated: true, next_marker: marker });
          return;
        }
      }
      if (rows.length < LISTING_LIMIT) {
        yield line({ scanned, truncated: false, next_marker: null });
        return;
      }
      if (now() > deadlineMs) break;
    }
    yield line({ scanned, truncated: true, next_marker: marker ?? null });
  } catch (error) {
    // The answer has begun: what went wrong is its last line.
    yield line(describe(error));
  }
}

function matcherOf({
  q,
  mode,
  bytes_min: min = 0,
  bytes_max: max = Infinity,
}: z.infer<typeof SEARCH>) {
  const wanted = q.toLowerCase();
  const fits = mode === 'glob' ? globMatcher(wanted) : (text: string) => text.includes(wanted);
  return ({ name, bytes }: ObjectRow) => bytes >= min && bytes <= max && fits(name.toLowerCase());
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
