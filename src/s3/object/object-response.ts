import type { ByteRange, ObjectHead } from '../../backend/backend.js';
import type { HeaderList, HeaderMap } from '../../http/exchange.js';
import { coldObjectOf } from '../cold/cold-object.js';
import type { RequestContext, S3Response } from '../operation.js';
import { requireRestored, restoreHeaders } from '../rules/cold/cold-object.js';
import { parseColdState } from '../rules/cold/state.js';
import { formatHttpDate } from '../rules/dates.js';
import { metadataResponseHeaders } from '../rules/metadata-headers.js';
import { lockHeaders } from '../rules/object-lock/headers.js';
import { applyResponseOverrides, type ResponseOverrides } from '../rules/response-overrides.js';
import { countTags } from '../rules/tagging.js';
import { storedChecksumHeaders, SYSTEM_METADATA } from './attributes.js';

/** What GetObject and HeadObject have in common. */

/**
 * A cold object can be read only while a restore window is open: SPEC.md 3.4.
 *
 * @throws S3Error `InvalidObjectState`
 */
export function requireReadable({ services }: RequestContext, head: ObjectHead): void {
  const object = coldObjectOf(head, services.cold.classes);
  if (object !== undefined) requireRestored(object, Date.now());
}

/** The headers of a 200 or 206; `range` is the part that is sent. */
export function objectHeaders(
  requested: HeaderMap,
  head: ObjectHead,
  overrides: ResponseOverrides | undefined,
  range: ByteRange | undefined,
): HeaderList {
  const headers: [string, string][] = [
    ['ETag', `"${head.etag}"`],
    ['Last-Modified', formatHttpDate(head.lastModified)],
    ['Accept-Ranges', 'bytes'],
    ...metadataResponseHeaders(head),
  ];
  headers.push(...versionHeaders(head));
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

/** `x-amz-version-id` of what was read; none of an object that was never a version. */
export function versionHeaders({ systemMetadata }: ObjectHead): [string, string][] {
  const versionId = systemMetadata[SYSTEM_METADATA.versionId];
  return versionId === undefined ? [] : [['x-amz-version-id', versionId]];
}

/** A 304: the validators, and nothing of the object (RFC 9110 section 15.4.5). */
export function notModifiedResponse(head: ObjectHead): S3Response {
  return {
    status: 304,
    headers: [
      ['ETag', `"${head.etag}"`],
      ['Last-Modified', formatHttpDate(head.lastModified)],
      ...versionHeaders(head),
    ],
  };
}
