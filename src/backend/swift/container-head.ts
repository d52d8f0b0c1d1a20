import type { ContainerHead } from '../backend.js';
import { BackendError } from '../errors.js';
import { readSystemMetadata } from './system-metadata.js';
import { readTimestamp } from './timestamps.js';
import { readUserMetadata } from './user-metadata.js';

/** A container as the headers of Swift's answers tell it. @throws BackendError Corrupt */
export function readContainerHead(
  name: string,
  headers: ReadonlyMap<string, string>,
): ContainerHead {
  return {
    name,
    createdAt: readCreatedAt(headers),
    objectCount: readCount(headers.get('x-container-object-count')),
    bytesUsed: readCount(headers.get('x-container-bytes-used')),
    metadata: readUserMetadata(headers, 'container', undefined),
    systemMetadata: readSystemMetadata(headers, 'container'),
    acl: {
      read: headers.get('x-container-read') ?? '',
      write: headers.get('x-container-write') ?? '',
    },
  };
}

/**
 * `X-Timestamp` is of the database, which outlives a deletion for a week; `Last-Modified`, in whole
 * seconds and rounded up, of the last PUT. When they agree, the exact one is right.
 */
function readCreatedAt(headers: ReadonlyMap<string, string>): number {
  const database = readTimestamp(headers.get('x-timestamp'));
  const put = Date.parse(headers.get('last-modified') ?? '');
  return put - database > 1000 ? put : database;
}

function readCount(text: string | undefined): number {
  const count = Number(text ?? NaN);
  if (!Number.isSafeInteger(count)) throw new BackendError('Corrupt', `no count: ${text}`);
  return count;
}
