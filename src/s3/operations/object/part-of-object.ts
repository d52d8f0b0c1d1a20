import type { ByteRange, ObjectHead, ObjectRef } from '../../../backend/backend.js';
import type { HeaderList } from '../../../http/exchange.js';
import { withVersionTime } from '../../object-attributes.js';
import type { RequestContext } from '../../operation.js';
import { invalidPartNumber, parsePartNumber } from '../../rules/part-number.js';
import { S3Error } from '../../s3-error.js';
import { readNamedVersion } from './named-version.js';
import { requireReadable } from './object-response.js';

/** One part of a finished object, as `?partNumber=` of GetObject and HeadObject names it. */
export interface PartOfObject {
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
export async function readPartOfObject(context: RequestContext): Promise<PartOfObject> {
  const { backend } = context.services;
  const partNumber = parsePartNumber(context.endpoint.query);
  if (context.headers.has('range')) {
    throw new S3Error(
      'InvalidRequest',
      'Cannot specify both Range header and partNumber query parameter',
    );
  }
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
