import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import type { CopySource } from './copy-source.js';
import { invalidArgument } from './query-parameters.js';

/** Whether a copy takes something over from its source or from the request. */
export type CopyDirective = 'COPY' | 'REPLACE';

export interface CopyDirectives {
  /** User metadata, Content-Type and the other representation headers. */
  readonly metadata: CopyDirective;
  readonly tagging: CopyDirective;
}

/** @throws S3Error `InvalidArgument` for anything but COPY and REPLACE */
export function parseCopyDirectives(headers: HeaderMap): CopyDirectives {
  return {
    metadata: parseDirective(headers, 'metadata'),
    tagging: parseDirective(headers, 'tagging'),
  };
}

/**
 * CopyObject copies whole objects: who asks for a part of one must not get all of it.
 *
 * @throws S3Error `InvalidArgument`
 */
export function refuseCopyOfRange(headers: HeaderMap): void {
  for (const name of ['range', 'x-amz-copy-source-range']) {
    const value = headers.get(name);
    if (value === undefined) continue;
    throw invalidArgument(name, value, 'The specified header is not valid in this context');
  }
}

/**
 * Refuses a copy of an object onto itself that would change nothing AWS lets it change: without
 * new metadata and without a storage class. An older version copied onto its key is a change.
 *
 * @throws S3Error `InvalidRequest`
 */
export function refuseCopyOntoItself(
  source: CopySource,
  target: { readonly bucket: string; readonly key: string },
  headers: HeaderMap,
  directives: CopyDirectives,
): void {
  if (source.bucket !== target.bucket || source.key !== target.key) return;
  if (source.versionId !== undefined || directives.metadata === 'REPLACE') return;
  if (headers.has('x-amz-storage-class')) return;
  throw new S3Error(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  );
}

function parseDirective(headers: HeaderMap, what: 'metadata' | 'tagging'): CopyDirective {
  const name = `x-amz-${what}-directive`;
  const value = headers.get(name);
  if (value === undefined) return 'COPY';
  if (value === 'COPY' || value === 'REPLACE') return value;
  throw invalidArgument(name, value, `Unknown ${what} directive.`);
}
