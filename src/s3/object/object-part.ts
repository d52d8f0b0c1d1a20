import type { ByteRange, ObjectHead, ObjectRef, GetObjectResult } from '../../backend/backend.js';
import type { HeaderList } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import type { RequestContext, S3Response } from '../operation.js';
import { evaluateReadConditions, preconditionFailed } from '../rules/conditions.js';
import { invalidPartNumber, parsePartNumber } from '../rules/part-number.js';
import { contentRange } from '../rules/ranges.js';
import { parseResponseOverrides } from '../rules/response-overrides.js';
import { withVersionTime } from './attributes.js';
import { readNamedVersion } from './named-version.js';
import {
  requireReadable,
  notModifiedResponse,
  objectHeaders,
  versionHeaders,
} from './object-response.js';

/** One part of a finished object, as `?partNumber=` of GetObject and HeadObject names it. */
interface PartOfObject {
  readonly head: ObjectHead;
  /** Undefined: the part has no bytes. */
  readonly range: ByteRange | undefined;
  /** `x-amz-mp-parts-count`, for an object that was uploaded in parts. */
  readonly headers: HeaderList;
}

/**
 * Parts are counted as they follow one another in the object, whatever numbers they were uploaded
 * under. An object that was not uploaded in parts is one part.
 *
 * @throws S3Error `InvalidArgument` for no part number, `InvalidPartNumber` for one that the object
 *   does not have, `InvalidRequest` together with a range, `InvalidObjectState` for a cold object
 */
async function readPartOfObject(context: RequestContext): Promise<PartOfObject> {
  const { backend } = context.services;
  if (context.headers.has('range')) {
    throw new S3Error(
      'InvalidRequest',
      'Cannot specify both Range header and partNumber query parameter',
    );
  }
  const partNumber = parsePartNumber(context.endpoint.query);
  const read = async (ref: ObjectRef) => {
    const head = withVersionTime(await backend.headObject(context.call, ref));
    if (head.segmentCount === undefined) return { head, segments: undefined };
    return { head, segments: (await backend.getSegments(context.call, ref)) ?? [] };
  };
  const { head, segments } = await readNamedVersion(context, read);
  requireReadable(context, head);
  if (segments === undefined) {
    if (partNumber !== 1) throw invalidPartNumber(partNumber, 1);
    return { head, range: rangeOf(0, head.size), headers: [] };
  }
  const part = segments[partNumber - 1];
  if (part === undefined) throw invalidPartNumber(partNumber, segments.length);
  const start = segments.slice(0, partNumber - 1).reduce((sum, { size }) => sum + size, 0);
  return {
    head,
    range: rangeOf(start, part.size),
    headers: [['x-amz-mp-parts-count', String(segments.length)]],
  };
}

function rangeOf(start: number, size: number): ByteRange | undefined {
  return size === 0 ? undefined : { start, end: start + size - 1 };
}

/** An object that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

export async function headObjectPart(context: RequestContext): Promise<S3Response> {
  return describePart(context, await readPartOfObject(context));
}

export async function getObjectPart(context: RequestContext): Promise<S3Response> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const part = await readPartOfObject(context);
    const response = await describePart(context, part);
    if (response.status === 304) return response;
    const body = await readBody(context, part);
    if (body === 'changed') continue;
    return { ...response, body: body?.source ?? '' };
  }
  throw new S3Error('OperationAborted');
}

async function describePart(context: RequestContext, part: PartOfObject): Promise<S3Response> {
  const { headers, endpoint } = context;
  const { head, range } = part;
  const overrides = parseResponseOverrides(endpoint.query);
  requireReadable(context, head);
  const outcome = evaluateReadConditions(headers, head, Date.now());
  if (outcome === 'precondition_failed') throw preconditionFailed(headers);
  if (outcome === 'not_modified') return notModifiedResponse(context, head);
  const ofVersion = await versionHeaders(context, head);
  const list = [...objectHeaders(headers, head, ofVersion, overrides, range), ...part.headers];
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
