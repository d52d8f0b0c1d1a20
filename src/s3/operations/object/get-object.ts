import type { GetObjectResult, RangeSpec } from '../../../backend/backend.js';
import { withVersionTime } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import {
  evaluateReadConditions,
  preconditionFailed,
  rangeApplies,
} from '../../rules/conditions.js';
import { contentRange, invalidRange, parseRange } from '../../rules/ranges.js';
import { parseResponseOverrides } from '../../rules/response-overrides.js';
import { expirationOfObject } from '../lifecycle-headers.js';
import { readNamedVersion } from './named-version.js';
import { notModifiedResponse, objectHeaders, requireReadable } from './object-response.js';

/** GetObject: a stream from the backend to the client, whole or one range of it. */
export async function getObject(context: RequestContext): Promise<S3Response> {
  const { headers } = context;
  const overrides = parseResponseOverrides(context.endpoint.query);
  const rangeHeader = headers.get('range');
  const range = parseRange(rangeHeader);
  let found = await read(context, range);
  try {
    requireReadable(context, found.head);
    const outcome = evaluateReadConditions(headers, found.head, Date.now());
    if (outcome === 'precondition_failed') throw preconditionFailed(headers);
    if (outcome === 'not_modified') {
      found.body.cancel();
      return notModifiedResponse(found.head);
    }
    if (isStale(context, found)) {
      found.body.cancel();
      found = await read(context, undefined);
    }
    if (found.range === 'unsatisfiable') {
      throw invalidRange(rangeHeader ?? '', found.head.size);
    }
    const expiration = expirationOfObject(context, found.head);
    return respond(found, [
      ...objectHeaders(headers, found.head, overrides, found.range),
      ...(expiration instanceof Promise ? await expiration : expiration),
    ]);
  } catch (error) {
    found.body.cancel();
    throw error;
  }
}

/** The client's part is of another object, as `If-Range` says: it is to have the whole. */
function isStale({ headers }: RequestContext, { range, head }: GetObjectResult): boolean {
  return range !== undefined && !rangeApplies(headers, head);
}

async function read(
  context: RequestContext,
  range: RangeSpec | undefined,
): Promise<GetObjectResult> {
  const { backend } = context.services;
  const found = await readNamedVersion(context, (ref) => {
    return backend.getObject(context.call, ref, range);
  });
  const head = withVersionTime(found.head);
  return head === found.head ? found : { ...found, head };
}

function respond(
  { range, body, head }: GetObjectResult,
  headers: readonly (readonly [string, string])[],
): S3Response {
  if (range === undefined || range === 'unsatisfiable') {
    return { status: 200, headers, body: body.source, contentLength: head.size };
  }
  return {
    status: 206,
    headers: [...headers, ['Content-Range', contentRange(range, head.size)]],
    body: body.source,
    contentLength: body.length,
  };
}
