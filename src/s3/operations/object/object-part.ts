import type { GetObjectResult } from '../../../backend/backend.js';
import { withVersionTime } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { evaluateReadConditions, preconditionFailed } from '../../rules/conditions.js';
import { contentRange } from '../../rules/ranges.js';
import { parseResponseOverrides } from '../../rules/response-overrides.js';
import { S3Error } from '../../s3-error.js';
import { readNamedVersion } from './named-version.js';
import { notModifiedResponse, objectHeaders, requireReadable } from './object-response.js';
import { readPartOfObject, type PartOfObject } from './part-of-object.js';

/** GetObject and HeadObject with `?partNumber=`: how clients download in the parts of the upload. */

/** An object that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

export async function headObjectPart(context: RequestContext): Promise<S3Response> {
  return describePart(context, await readPartOfObject(context));
}

export async function getObjectPart(context: RequestContext): Promise<S3Response> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const part = await readPartOfObject(context);
    const response = describePart(context, part);
    if (response.status === 304) return response;
    const body = await readBody(context, part);
    if (body === 'changed') continue;
    return { ...response, body: body?.source ?? '' };
  }
  throw new S3Error('OperationAborted');
}

function describePart(context: RequestContext, part: PartOfObject): S3Response {
  const { headers, endpoint } = context;
  const { head, range } = part;
  const overrides = parseResponseOverrides(endpoint.query);
  requireReadable(context, head);
  const outcome = evaluateReadConditions(headers, head, Date.now());
  if (outcome === 'precondition_failed') throw preconditionFailed(headers);
  if (outcome === 'not_modified') return notModifiedResponse(head);
  const list = [...objectHeaders(headers, head, overrides, range), ...part.headers];
  if (range === undefined) return { status: 200, headers: list, contentLength: 0 };
  return {
    status: 206,
    headers: [...list, ['Content-Range', contentRange(range, head.size)]],
    contentLength: range.end - range.start + 1,
  };
}

/** @returns undefined without any bytes; `changed` when they are another object's by now */
async function readBody(
  context: RequestContext,
  { head, range }: PartOfObject,
): Promise<GetObjectResult['body'] | undefined | 'changed'> {
  if (range === undefined) return undefined;
  const asked = { first: range.start, last: range.end };
  const { backend } = context.services;
  const found = await readNamedVersion(context, (ref) => {
    return backend.getObject(context.call, ref, asked);
  });
  const now = withVersionTime(found.head);
  const same = now.etag === head.etag && now.lastModified === head.lastModified;
  if (same) return found.body;
  found.body.cancel();
  return 'changed';
}
