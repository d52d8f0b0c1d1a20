import type { ContainerHead } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { systemMetadataHeaders } from '../gateway/system-metadata.js';
import { POLICY } from '../limits.js';
import { metadataHeaders } from '../metadata.js';
import type { Reply } from '../reply.js';
import { lastModified, swiftTimestamp } from '../timestamps.js';

/** @param isOwner - ACLs and the keys of TempURLs are for owners alone */
export function containerHeaders(
  call: Call,
  head: ContainerHead,
  isOwner: boolean,
): Reply['headers'] {
  const { objectCount, bytesUsed, createdAt, acl, metadata, systemMetadata } = head;
  return [
    ['X-Container-Object-Count', String(objectCount)],
    ['X-Container-Bytes-Used', String(bytesUsed)],
    ['X-Timestamp', swiftTimestamp(createdAt)],
    ...(isOwner && acl.read !== '' ? [['X-Container-Read', acl.read] as const] : []),
    ...(isOwner && acl.write !== '' ? [['X-Container-Write', acl.write] as const] : []),
    ...metadataHeaders(metadata, 'container', isOwner),
    ...(call.gateway ? systemMetadataHeaders(systemMetadata, 'container') : []),
    ['Last-Modified', lastModified(createdAt)],
    ['Accept-Ranges', 'bytes'],
    ['X-Storage-Policy', POLICY],
  ];
}
