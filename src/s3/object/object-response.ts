import type { ByteRange, ObjectHead } from '../../backend/backend.js';
import type { HeaderList, HeaderMap } from '../../http/exchange.js';
import { andThen, type MaybePromise } from '../../lib/promises.js';
import { nullVersionHeader } from '../bucket/lifecycles.js';
import { coldObjectOf } from '../cold/cold-object.js';
import { containerOf, type RequestContext, type S3Response } from '../operation.js';
import { requireRestored, restoreHeaders } from '../rules/cold/cold-object.js';
import { parseColdState } from '../rules/cold/state.js';
import { formatHttpDate } from '../rules/dates.js';
import { metadataResponseHeaders } from '../rules/metadata-headers.js';
import { lockHeaders } from '../rules/object-lock/headers.js';
import { applyResponseOverrides, type ResponseOverrides } from '../rules/response-overrides.js';
import { countTags } from '../rules/tagging.js';
import { storedChecksumHeaders, SYSTEM_METADATA } from './attributes.js';

/** The common parts of GetObject and HeadObject. */

/**
 * A cold object can be read only while a restore window is open: SPEC.md 3.4.
 *
 * @throws S3Error `InvalidObjectState`
 */
export function requireReadable({ services }: RequestContext, head: ObjectHead): void {
  const object = coldObjectOf(head, services.cold.classes);
  if (object !== undefined) requireRestored(object, Date.now());
}

/**
 * The headers of a 200 or 206; `range` is the part that is sent.
 * @param ofVersion - {@link versionHeaders}
 */
export function objectHeaders(
  requested: HeaderMap,
  head: ObjectHead,
  ofVersion: HeaderList,
  overrides: ResponseOverrides | undefined,
  range: ByteRange | undefined,
): HeaderList {
  const headers: [string, string][] = [
    ['ETag', `"${head.etag}"`],
    ['Last-Modified', formatHttpDate(head.lastModified)],
    ['Accept-Ranges', 'bytes'],
    ...metadataResponseHeaders(head),
  ];
  for (const [name, value] of ofVersion) headers.push([name, value]);
  const storageClass = head.systemMetadata[SYSTEM_METADATA.storageClass];
  if (storageClass !== undefined) headers.push(['x-amz-storage-class', storageClass]);
  const stamp = head.systemMetadata[SYSTEM_METADATA.cold];
  if (stamp !== undefined) headers.push(...restoreHeaders(parseColdState(stamp), Date.now()));
  const tagging = head.systemMetadata[SYSTEM_METADATA.tagging];
  if (tagging !== undefined) headers.push(['x-amz-tagging-count', String(countTags(tagging))]);
  for (const [name, value] of lockHeaders(head.systemMetadata)) headers.push([name, value]);
  // The checksum is the whole object's: a client would check a part against it in vain.
  if (range === undefined && requested.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED') {
    headers.push(...storedChecksumHeaders(head.systemMetadata));
  }
  return applyResponseOverrides(headers, overrides);
}

const VERSION_ID = 'x-amz-version-id';

/** `x-amz-version-id` of a version; none of an object that was never one. */
export function ownVersionHeaders({ systemMetadata }: ObjectHead): HeaderList {
  const versionId = systemMetadata[SYSTEM_METADATA.versionId];
  return versionId === undefined ? [] : [[VERSION_ID, versionId]];
}

/** `x-amz-version-id` of what was found at the request's key: `null` of what is from before versioning. */
export function versionHeaders(
  context: RequestContext,
  head: ObjectHead,
): MaybePromise<HeaderList> {
  const own = ownVersionHeaders(head);
  return own.length > 0 ? own : nullVersionHeader(context, VERSION_ID, containerOf(context));
}

/** A 304: the validators, and nothing of the object (RFC 9110 section 15.4.5). */
export function notModifiedResponse(
  context: RequestContext,
  head: ObjectHead,
): MaybePromise<S3Response> {
  return andThen(versionHeaders(context, head), (ofVersion) => ({
    status: 304,
    headers: [
      ['ETag', `"${head.etag}"`],
      ['Last-Modified', formatHttpDate(head.lastModified)],
      ...ofVersion,
    ],
  }));
}
