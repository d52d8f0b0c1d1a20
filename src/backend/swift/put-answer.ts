import type {
  CallContext,
  DeletePrecondition,
  ObjectRef,
  WriteClass,
  WriteOrder,
  WritePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { answerError } from './status-errors.js';
import type { ObjectHeads } from './object-heads.js';
import { orderedAt, readTimestamp } from './timestamps.js';
import { type RequestHeaders, type SwiftResponse, busyError, isBusy } from './transport.js';

/** The outcome of a PUT of an object, and the headers that ask for it. */

export type PutAnswer = 'created' | 'stale' | 'precondition_failed';

/**
 * Swift looks for `If-None-Match` before the body only. The filter in the proxies (ops/swift/)
 * makes sure that one of several creators wins; without it, several may.
 */
export function creationHeaders(precondition: WritePrecondition | undefined): RequestHeaders {
  return precondition === undefined ? NOTHING : EXCLUSIVE;
}

const NOTHING: RequestHeaders = {};
const EXCLUSIVE: RequestHeaders = { 'if-none-match': '*', 'x-gateway-create': 'exclusive' };

/**
 * A write that deletes, or ends work that has begun, is stored over a quota, too: else a full
 * account could not be emptied. Swift without the filter does not know the header, and needs none.
 */
export function quotaHeaders(writeClass: WriteClass | undefined): RequestHeaders {
  return writeClass === undefined || writeClass === 'ordinary' ? NOTHING : EXEMPT;
}

const EXEMPT: RequestHeaders = { 'x-gateway-quota': 'exempt' };

/** Swift orders writes by their time, which the filter sets. */
export function orderHeaders(order: WriteOrder | undefined): RequestHeaders {
  return order === undefined ? NOTHING : { 'x-gateway-not-newer': orderedAt(order) };
}

/** Swift ignores it, and would change what it should not. @throws BackendError Unsupported */
export function refuseEtagCondition(
  { container, object }: ObjectRef,
  precondition: DeletePrecondition | undefined,
): void {
  if (precondition === undefined || 'absent' in precondition) return;
  const detail = `a write of ${container}/${object} depends on an ETag`;
  throw new BackendError('Unsupported', `${detail}, against capabilities.conditionalReplace`);
}

/** The answer's body is let go of. @throws BackendError */
export async function readPutAnswer(
  ref: ObjectRef,
  response: SwiftResponse,
  precondition: DeletePrecondition | undefined,
): Promise<PutAnswer> {
  if (isBusy(response)) {
    response.cancel();
    throw busyError(ref);
  }
  const answer = answerOf(response.status, precondition);
  if (answer === undefined) throw await answerError('object_put', 'PUT', ref, response);
  response.cancel();
  return answer;
}

/** @returns undefined for what is no outcome */
export function answerOf(
  status: number,
  precondition: DeletePrecondition | undefined,
): PutAnswer | undefined {
  if (status === 201) return 'created';
  // Something newer is there; Swift keeps that.
  if (status === 202) return 'stale';
  return status === 412 && precondition !== undefined ? 'precondition_failed' : undefined;
}

/**
 * When an object was written, as it will be told from now on. The filter says it with the answer;
 * Swift's own `Last-Modified` is rounded up to a second, so that without the filter, and where the
 * answer came through something that kept only this, the object is looked at.
 */
export async function timeOfPut(
  objectHeads: ObjectHeads,
  context: CallContext,
  ref: ObjectRef,
  headers: ReadonlyMap<string, string>,
): Promise<number> {
  const timestamp = headers.get('x-gateway-data-timestamp');
  if (timestamp !== undefined) return readTimestamp(timestamp);
  const found = await objectHeads.itself(context, ref);
  // Removed already: its time is of no use to anybody.
  return found?.stored.head.lastModified ?? Date.parse(headers.get('last-modified') ?? '');
}
