import type { DeletePrecondition, WritePrecondition } from '../../backend/backend.js';
import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import { singleEtag } from './etags.js';

/** Conditions that AWS honours on reads alone. Ignoring one would write what must not be. */
const READ_ONLY_CONDITIONS = [
  ['if-modified-since', 'If-Modified-Since'],
  ['if-unmodified-since', 'If-Unmodified-Since'],
] as const;

/**
 * The precondition of PutObject and its like. Like in AWS, `If-None-Match` takes `*` only,
 * `If-Match` one ETag only, and not both at once.
 *
 * @returns undefined for an unconditional write
 * @throws S3Error `NotImplemented` for any other condition: never accept and ignore one
 */
export function parseWriteCondition(headers: HeaderMap): WritePrecondition | undefined {
  for (const [header, name] of READ_ONLY_CONDITIONS) {
    if (headers.has(header)) throw unsupported(name);
  }
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  if (ifMatch !== undefined && ifNoneMatch !== undefined) {
    throw unsupported(
      'If-Match,If-None-Match',
      'Multiple conditional request headers present in the request',
    );
  }
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*') throw unsupportedValue('If-None-Match');
    return { absent: true };
  }
  if (ifMatch !== undefined) {
    const etag = singleEtag(ifMatch);
    if (etag === undefined) throw unsupportedValue('If-Match');
    return { etag };
  }
  return undefined;
}

/** The condition of a deletion: the object exists, with this ETag if one is given. */
export type DeleteCondition = Extract<DeletePrecondition, { readonly present: true }>;

/**
 * The precondition of DeleteObject: `If-Match` with one ETag, or `*` for any.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html
 *
 * @throws S3Error `NotImplemented` as {@link parseWriteCondition}, and for `If-None-Match`
 */
export function parseDeleteCondition(headers: HeaderMap): DeleteCondition | undefined {
  for (const [header, name] of NOT_OF_DELETIONS) {
    if (headers.has(header)) throw unsupported(name);
  }
  const ifMatch = headers.get('if-match');
  return ifMatch === undefined ? undefined : deleteConditionOf(ifMatch);
}

/**
 * The same of one key of DeleteObjects, where it is the text of `<ETag>`.
 * @throws S3Error `NotImplemented` for a list, a weak ETag and an empty one
 */
export function deleteConditionOf(etagOrAny: string): DeleteCondition {
  if (etagOrAny.trim() === '*') return { present: true };
  const etag = singleEtag(etagOrAny);
  if (etag === undefined) throw unsupportedValue('If-Match');
  return { present: true, etag };
}

const NOT_OF_DELETIONS = [['if-none-match', 'If-None-Match'], ...READ_ONLY_CONDITIONS] as const;

/**
 * Refuses conditions of writes for which AWS has none.
 * @throws S3Error `NotImplemented` for any: a client that sends one relies on it
 */
export function refuseConditions(headers: HeaderMap): void {
  const precondition = parseDeleteCondition(headers);
  if (precondition !== undefined) throw unsupported('If-Match');
}

/** The answer when the backend says that the precondition did not hold. */
export function writePreconditionFailed(precondition: DeletePrecondition): S3Error {
  const condition = 'absent' in precondition ? 'If-None-Match' : 'If-Match';
  return new S3Error('PreconditionFailed', undefined, { Condition: condition });
}

function unsupportedValue(header: string): S3Error {
  return unsupported(header, `We don't accept the provided value of ${header} header for this API`);
}

/** The error with the two extra elements, spelled like AWS's. */
function unsupported(header: string, additionalMessage?: string): S3Error {
  return new S3Error('NotImplemented', undefined, {
    Header: header,
    ...(additionalMessage === undefined ? {} : { additionalMessage }),
  });
}
