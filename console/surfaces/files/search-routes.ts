import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { describeError } from '../../server/app-errors.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { Session } from '../../server/sessions.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { SwiftQuery } from '../../swift/path.js';
import { globMatcher } from './glob.js';
import { containerName, prefixText } from './names.js';
import { PatternError } from './pattern-parser.js';
import { patternMatcher } from './pattern.js';
import { listObjects, LISTING_LIMIT, type ObjectRow } from './swift-listing.js';

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

/** A line of the answer: an object that matches. */
export interface SearchHit {
  readonly name: string;
  readonly bytes: number;
  readonly last_modified: string;
}

/** The last line: how far the search came. */
export interface SearchEnd {
  /** The number of names that were looked at. */
  readonly scanned: number;
  readonly truncated: boolean;
  /** Where it goes on; null at the end. */
  readonly next_marker: string | null;
}

/** The last line of a search that failed. */
export interface SearchFailure {
  readonly error: { readonly code: string; readonly message: string; readonly request_id: string };
}

const HITS_MAX = 1000;
const YIELD_ROWS = 200;
/** Each holds a page of a listing, and costs time for each of its names. */
const RUNNING_PER_SESSION = 2;
const RUNNING_MAX = 8;
const BUSY_RETRY_S = 5;

/**
 * Swift has no search: this reads listings within limits, sends hits as lines of JSON, and ends
 * with a line that says how far it came.
 */
export function searchRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const running = new Map<Readable, Session>();
  app.post('/api/files/search', { config: { access: 'read' } }, (request, reply) => {
    const given = parse(SEARCH, request.body);
    const matches = matcherOf(given);
    const session = sessionOf(request);
    const own = [...running.values()].filter((one) => one === session).length;
    if (own >= RUNNING_PER_SESSION || running.size >= RUNNING_MAX) {
      throw new ApiError('busy', 'Too many searches are running.', undefined, BUSY_RETRY_S);
    }
    const left = new AbortController();
    const deadline = AbortSignal.timeout(given.max_s * 1000);
    const signal = AbortSignal.any([left.signal, deadline]);
    const lines = search(session.store, given, matches, signal, (error) => {
      const { code, message } = describeError(context, error, request.id);
      return { error: { code, message, request_id: request.id } };
    });
    const stream = Readable.from(lines);
    running.set(stream, session);
    stream.once('close', () => {
      running.delete(stream);
      left.abort();
    });
    return reply.type('application/x-ndjson').send(stream);
  });
}

/** @param signal aborted when the time is over, and when the reader has left */
async function* search(
  store: SwiftAccount,
  given: z.infer<typeof SEARCH>,
  matches: (row: ObjectRow) => boolean,
  signal: AbortSignal,
  describe: (error: unknown) => SearchFailure,
): AsyncGenerator<string> {
  let { marker } = given;
  let scanned = 0;
  let hits = 0;
  try {
    for (let page = 0; page < given.pages_max; page++) {
      const query = { prefix: given.prefix || undefined, marker, limit: LISTING_LIMIT };
      const rows = await pageOf(store, given.container, query, signal);
      if (rows === undefined) break;
      for (const row of rows) {
        // Others wait while patterns are compared; a page of many hits may take longer than there is.
        if (scanned > 0 && scanned % YIELD_ROWS === 0) {
          await setImmediate();
          if (signal.aborted) break;
        }
        scanned += 1;
        marker = row.name;
        if (!matches(row)) continue;
        yield line({ name: row.name, bytes: row.bytes, last_modified: `${row.last_modified}Z` });
        if (++hits === HITS_MAX) {
          yield line({ scanned, truncated: true, next_marker: marker });
          return;
        }
      }
      if (signal.aborted) break;
      if (rows.length < LISTING_LIMIT) {
        yield line({ scanned, truncated: false, next_marker: null });
        return;
      }
    }
    yield line({ scanned, truncated: true, next_marker: marker ?? null });
  } catch (error) {
    // The answer has begun: what went wrong is its last line.
    yield line(describe(error));
  }
}

/** @returns undefined where the time was over before the store had answered */
async function pageOf(
  store: SwiftAccount,
  container: string,
  query: SwiftQuery,
  signal: AbortSignal,
): Promise<ObjectRow[] | undefined> {
  try {
    return (await listObjects(store, container, query, signal)) as ObjectRow[];
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function matcherOf({
  q,
  mode,
  bytes_min: min = 0,
  bytes_max: max = Infinity,
  since = '',
  until = '9999-12-31',
}: z.infer<typeof SEARCH>) {
  const fits = textMatcher(q, mode);
  return ({ name, bytes, last_modified: time }: ObjectRow) => {
    const day = time.slice(0, 10);
    return bytes >= min && bytes <= max && day >= since && day <= until && fits(name);
  };
}

/** Whatever the case. @throws ApiError for a pattern that is malformed */
function textMatcher(q: string, mode: z.infer<typeof SEARCH>['mode']): (text: string) => boolean {
  const wanted = q.toLowerCase();
  switch (mode) {
    case 'substring':
      return (text) => text.toLowerCase().includes(wanted);
    case 'glob': {
      const fits = globMatcher(wanted);
      return (text) => fits(text.toLowerCase());
    }
    case 'regex':
      return regexMatcher(q);
  }
}

function regexMatcher(q: string): (text: string) => boolean {
  try {
    return patternMatcher(q);
  } catch (error) {
    if (error instanceof PatternError) throw new ApiError('invalid_argument', error.message);
    throw error;
  }
}

function line(value: SearchHit | SearchEnd | SearchFailure): string {
  return `${JSON.stringify(value)}\n`;
}
