import type { ObjectHead, ReadOptions } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { ownsAccount } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { HTML, pageOf, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { isTrue, type ObjectTarget } from '../target.js';
import { checkConditions } from './conditions.js';
import { locationOf, type Headers } from './object-headers.js';

/**
 * The common part of all ways to read an object (its own bytes, a link, a manifest, a dynamic large
 * object): the object's head, conditions, and the headers of an answer.
 */

/** Whether the request sees expired objects, and how certain an answer has to be. */
export function readOptions(call: Call<ObjectTarget>): ReadOptions {
  const { headers, target } = call;
  const openExpired =
    isTrue(headers.get('x-open-expired')) && (call.gateway || ownsAccount(call, target.account));
  const newest = isTrue(headers.get('x-newest'));
  return { openExpired, newest };
}

/** @throws SwiftError 404, with the target of a link that leads nowhere */
export async function headOf(call: Call<ObjectTarget>): Promise<ObjectHead> {
  const { api, context, target } = call;
  try {
    return await api.backend.headObject(context, target, readOptions(call));
  } catch (error) {
    throw await withTarget(call, error);
  }
}

/** Says with a link that leads nowhere whither; a large object in pieces is in conflict. */
export async function withTarget(call: Call<ObjectTarget>, error: unknown): Promise<unknown> {
  if (!(error instanceof BackendError)) return error;
  if (error.code === 'Corrupt')
    return new SwiftError(409, undefined, undefined, [], { cause: error });
  if (error.code !== 'BrokenLink') return error;
  const { api, context, target } = call;
  const head = await api.backend.headObject(context, target, { linkItself: true });
  if (head.link === undefined) return error;
  const location = locationOf(target.account, head.link.target);
  return new SwiftError(404, pageOf(404), HTML, [['Content-Location', location]], { cause: error });
}

export function readHeaders(contentType: string, headers: Headers): Headers {
  return [['Content-Type', contentType], ...headers, ['Accept-Ranges', 'bytes']];
}

/** @returns the answer when a condition decides it */
export function conditionReply(
  { headers: given }: Call,
  { lastModified, contentType }: ObjectHead,
  etag: string,
  headers: Headers,
): Reply | undefined {
  const modified = Math.ceil(lastModified / 1000) * 1000;
  switch (checkConditions(given, etag, modified)) {
    case 'met':
      return undefined;
    case 'not modified':
      return { status: 304, headers: readHeaders(contentType, headers) };
    case 'failed':
      return { status: 412, headers: [['Content-Type', HTML], ...headers], body: '' };
  }
}

export function unsatisfiable(contentType: string, headers: Headers, size: number): Reply {
  const described = readHeaders(contentType, headers);
  return {
    status: 416,
    headers: [...described, ['Content-Range', `bytes */${size}`]],
    body: pageOf(416),
  };
}
