import type { Backend, CallContext } from '../../backend/backend.js';
import { readStoredChecksum, SYSTEM_METADATA } from '../object/attributes.js';
import type { RequestedPart } from '../rules/complete-rules.js';
import { partOf, type Upload } from '../segments/names.js';
import type { StoredPart } from '../segments/parts.js';
import { isGone } from './upload.js';

/** Parts that are asked for at once. */
const CONCURRENCY = 8;

/**
 * A listing may lag behind what was written: in Swift while a container server is down, and while a
 * container is sharded. A part whose upload was acknowledged is there all the same, so what the
 * request names and the listing does not show is asked for by its name.
 *
 * @param requested in ascending order
 * @returns by part number, what was listed and what was found beside that; asks for no more once a
 *   part is not there, because the request is refused then
 */
export async function withUnlistedParts(
  backend: Backend,
  call: CallContext,
  upload: Upload,
  requested: readonly RequestedPart[],
  listed: readonly StoredPart[],
): Promise<ReadonlyMap<number, StoredPart>> {
  const parts = new Map(listed.map((part) => [part.partNumber, part]));
  const unlisted = requested.filter(({ partNumber, etag }) => parts.get(partNumber)?.etag !== etag);
  for (let from = 0; from < unlisted.length; from += CONCURRENCY) {
    const asked = unlisted.slice(from, from + CONCURRENCY);
    const found = await Promise.all(asked.map((part) => findPart(backend, call, upload, part)));
    for (const part of found) if (part !== undefined) parts.set(part.partNumber, part);
    if (found.includes(undefined)) break;
  }
  return parts;
}

/** @returns undefined when it is not there, or is another one */
async function findPart(
  backend: Backend,
  call: CallContext,
  upload: Upload,
  { partNumber, etag }: RequestedPart,
): Promise<StoredPart | undefined> {
  try {
    const head = await backend.headObject(call, partOf(upload, partNumber), { newest: true });
    // The gateway writes no links there, and a part is what it stores.
    if (head.etag !== etag || head.link !== undefined) return undefined;
    const { size, lastModified, systemMetadata } = head;
    const checksum = readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum]);
    return { partNumber, etag, size, lastModified, checksum };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
