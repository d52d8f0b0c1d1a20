import { z } from 'zod';
import { TRACE_STATUSES } from '../../../src/telemetry/request-trace.js';
import type { AdminClient } from '../../server/admin-client.js';
import { redactLine } from './logs/redact.js';
import { sourceError, SourceError } from './sources/source.js';

const NAME = z.string().max(255).optional();

/** The request of the page; `id` is of the page, and `after` of its look before. */
export const TRACE_QUERY = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
  after: z.coerce.number().int().min(0).default(0),
  every: z.coerce.number().int().min(1).max(100_000).default(1),
  method: NAME,
  operation: NAME,
  bucket: NAME,
  status: z.enum(TRACE_STATUSES).optional(),
  min_ms: z.coerce.number().int().min(0).max(86_400_000).optional(),
});

export type TraceQuery = z.infer<typeof TRACE_QUERY>;

const TEXT = z.string().nullable();
const MS = z.number().nullable();

/** The account is not among them: no page is told the names of the store's accounts. */
const ENTRY = z.object({
  seq: z.number(),
  time: z.string(),
  request_id: z.string(),
  remote: z.string(),
  requester: TEXT,
  bucket: TEXT,
  key: TEXT,
  operation: z.string(),
  method: z.string(),
  status: z.number(),
  error_code: TEXT,
  bytes_in: z.number(),
  bytes_out: z.number(),
  total_ms: z.number(),
  ttfb_ms: MS,
  backend_ms: z.number(),
  wait_ms: z.number(),
  aborted_by: TEXT,
  listener: z.number(),
  user_agent: TEXT,
});

const LOOK = z.object({
  entries: z.array(ENTRY).max(1000),
  next: z.number(),
  skipped: z.number(),
  listeners: z.number(),
});

/** A request that has ended, as the page has it: times in milliseconds. */
export type TraceEntry = z.infer<typeof ENTRY>;

/** The requests that were seen since the look before. */
export type TraceView =
  | ({ readonly state: 'ok' } & z.infer<typeof LOOK>)
  | { readonly state: 'unknown'; readonly reason: string };

/**
 * A look at the requests of the gateway as they end. It begins with the first look, and ends ten
 * seconds after the last: while no page looks, the gateway does nothing for it.
 */
export async function lookAtTrace(admin: AdminClient, wish: TraceQuery): Promise<TraceView> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wish)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  try {
    const { status, text } = await admin.get(`/tracez?${query.toString()}`);
    if (status !== 200) return { state: 'unknown', reason: reasonOf(status) };
    const look = LOOK.parse(JSON.parse(text));
    return { state: 'ok', ...look, entries: look.entries.map(shown) };
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      return { state: 'unknown', reason: 'The gateway returned an invalid response.' };
    }
    const known = sourceError(error);
    if (!(known instanceof SourceError)) throw error;
    return { state: 'unknown', reason: `Gateway requests are unavailable: ${known.reason}.` };
  }
}

function reasonOf(status: number): string {
  if (status === 429) return 'Too many live request traces are open. Close one and try again.';
  if (status === 404) return 'This gateway version does not support tracing.';
  return `The gateway's admin port rejected the request (status ${status}).`;
}

/** Names are what clients make them: what looks like a credential is not shown. */
function shown(entry: TraceEntry): TraceEntry {
  const clean = (text: string | null) => (text === null ? null : redactLine(text));
  return { ...entry, key: clean(entry.key), user_agent: clean(entry.user_agent) };
}
