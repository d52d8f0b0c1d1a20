import type { GetObjectResult, RangeSpec } from '../../backend/backend.js';
import { andThen, type MaybePromise } from '../../lib/promises.js';
import { expirationOfObject } from '../bucket/lifecycles.js';
import type { RequestContext, S3Response } from '../operation.js';
import { evaluateReadConditions, preconditionFailed, rangeApplies } from '../rules/conditions.js';
import { contentRange, invalidRange, parseRange } from '../rules/ranges.js';
import { parseResponseOverrides, type ResponseOverrides } from '../rules/response-overrides.js';
import { withVersionTime } from './attributes.js';
import { readNamedSoon } from './named-version.js';
import {
  notModifiedResponse,
  objectHeaders,
  requireReadable,
  versionHeaders,
} from './object-response.js';

/** The options of the request beside the object. */
interface Asked {
  readonly overrides: ResponseOverrides | undefined;
  readonly rangeHeader: string | undefined;
}

/** GetObject: a stream from the backend to the client, whole or one range of it. */
export function getObject(context: RequestContext): MaybePromise<S3Response> {
  const rangeHeader = context.headers.get('range');
  const asked = { overrides: parseResponseOverrides(context.endpoint.query), rangeHeader };
  return andThen(read(context, parseRange(rangeHeader)), (found) =>
    orCancel(found, () => answer(context, found, asked)),
  );
}

function answer(
  context: RequestContext,
  found: GetObjectResult,
  asked: Asked,
): MaybePromise<S3Response> {
  const { headers } = context;
  requireReadable(context, found.head);
  const outcome = evaluateReadConditions(headers, found.head, Date.now());
  if (outcome === 'precondition_failed') throw preconditionFailed(headers);
  if (outcome === 'not_modified') {
    found.body.cancel();
    return notModifiedResponse(context, found.head);
  }
  if (!isStale(context, found)) return tell(context, found, asked);
  found.body.cancel();
  return andThen(read(context, undefined), (whole) =>
    orCancel(whole, () => tell(context, whole, asked)),
  );
}

function tell(
  context: RequestContext,
  found: GetObjectResult,
  asked: Asked,
): MaybePromise<S3Response> {
  const { overrides, rangeHeader } = asked;
  if (found.range === 'unsatisfiable') throw invalidRange(rangeHeader ?? '', found.head.size);
  const { head, range } = found;
  return andThen(versionHeaders(context, head), (ofVersion) => {
    const headers = objectHeaders(context.headers, head, ofVersion, overrides, range);
    return andThen(expirationOfObject(context, head), (expiration) =>
      respond(found, [...headers, ...expiration]),
    );
  });
}

/** A body that is not going to be sent may hold a file. */
function orCancel<T>({ body }: GetObjectResult, work: () => MaybePromise<T>): MaybePromise<T> {
  const cancel = (error: unknown): never => {
    body.cancel();
    throw error;
  };
  try {
    const done = work();
    return done instanceof Promise ? done.catch(cancel) : done;
  } catch (error) {
    return cancel(error);
  }
}

/** The client's part is of another object, as `If-Range` says: it is to have the whole. */
function isStale({ headers }: RequestContext, { range, head }: GetObjectResult): boolean {
  return range !== undefined && !rangeApplies(headers, head);
}

function read(
  context: RequestContext,
  range: RangeSpec | undefined,
): MaybePromise<GetObjectResult> {
  const { call, services } = context;
  const found = readNamedSoon(
    context,
    (reads, ref) => reads.getObject(call, ref, range),
    (ref) => services.backend.getObject(call, ref, range),
  );
  return andThen(found, withTime);
}

function withTime(found: GetObjectResult): GetObjectResult {
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
