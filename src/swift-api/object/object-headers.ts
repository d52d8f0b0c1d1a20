import type { LinkTarget, ObjectHead } from '../../backend/backend.js';
import { encodeUriPath } from '../../lib/uri.js';
import type { Call } from '../call.js';
import {
  linkMetadataHeaders,
  OWN,
  systemMetadataHeaders,
  titled,
} from '../gateway/system-metadata.js';
import { metadataHeaders } from '../metadata.js';
import type { ObjectTarget } from '../target.js';
import { lastModified, swiftTimestamp } from '../timestamps.js';

export type Headers = (readonly [name: string, value: string])[];

/** All headers of an object in an answer, except those of the answer itself. */
export function objectHeaders(call: Call<ObjectTarget>, head: ObjectHead): Headers {
  const headers: Headers = [
    ...Object.entries(head.headers).map(([name, value]) => [titled(name), value] as const),
    ...metadataHeaders(head.metadata, 'object', true),
  ];
  if (head.deleteAt !== undefined) {
    headers.push(['X-Delete-At', String(Math.floor(head.deleteAt / 1000))]);
  }
  const dynamic = head.systemMetadata[OWN.dynamicManifest];
  if (dynamic !== undefined) headers.push(['X-Object-Manifest', dynamic]);
  if (isStaticLarge(head)) {
    headers.push(['X-Static-Large-Object', 'True']);
    const manifestEtag = head.systemMetadata[OWN.manifestEtag];
    if (manifestEtag !== undefined) headers.push(['X-Manifest-Etag', manifestEtag]);
  }
  headers.push(
    ['Etag', shownEtag(head)],
    ['Last-Modified', lastModified(head.lastModified)],
    ['X-Timestamp', swiftTimestamp(head.lastModified)],
  );
  if (head.link !== undefined)
    headers.push(['Content-Location', locationOf(call.target.account, head.link.target)]);
  if (call.gateway) headers.push(...gatewayHeaders(head));
  return headers;
}

export function isStaticLarge(head: ObjectHead): boolean {
  return head.segmentCount !== undefined;
}

/** The ETag, in quotes if it is not the MD5 of the bytes, like in Swift. */
function shownEtag(head: ObjectHead): string {
  return isStaticLarge(head) ? `"${head.etag}"` : head.etag;
}

/** `container/object`, encoded, as X-Symlink-Target has it. */
export function linkPath({ container, object }: LinkTarget): string {
  return encodeUriPath(`${container}/${object}`);
}

export function locationOf(account: string, { container, object }: LinkTarget): string {
  return `/v1/${encodeUriPath(account)}/${encodeUriPath(container)}/${encodeUriPath(object)}`;
}

function gatewayHeaders({ systemMetadata, lastModified: time, link }: ObjectHead): Headers {
  const headers: Headers = [
    ...systemMetadataHeaders(systemMetadata, 'object'),
    ['X-Gateway-Data-Timestamp', swiftTimestamp(time)],
  ];
  if (link === undefined) return headers;
  return [
    ...headers,
    ['X-Gateway-Link-Etag', link.etag],
    ['X-Gateway-Link-Sysmeta-Symlink-Target', linkPath(link.target)],
    ['X-Gateway-Link-Timestamp', swiftTimestamp(link.lastModified)],
    ...linkMetadataHeaders(link.systemMetadata),
  ];
}
