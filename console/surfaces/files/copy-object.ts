import type { SwiftAccount } from '../../swift/account.js';
import { swiftName } from '../../swift/path.js';
import { ApiError } from '../../server/api-error.js';
import { copiedEtag, type ObjectInfo } from './object-info.js';
import { isMadeOfS3Parts } from './s3-parts.js';

export interface Place {
  readonly container: string;
  readonly object: string;
}

/** A copy inside the store may take as long as reading and writing five gigabytes takes. */
const COPY_IDLE_MS = 15 * 60_000;

/** Swift's and S3's own limit of one object that is no manifest (`/info`, swift.max_file_size). */
const PLAIN_BYTES_MAX = 5 * 1024 ** 3;

/**
 * Copies the object itself: a manifest stays a manifest, and a link stays a link. Only an object
 * that S3 uploaded in parts is copied byte by byte, since no other manifest may use these parts.
 * @param info what the source must still be: its ETag is compared by the store
 * @param headers of the copy; `overwrite: F` where nothing may be replaced, which only the embedded
 *   store decides: Swift does not know it, and the caller looks right before
 * @throws SwiftStatusError 404, 412; ApiError too_large
 */
export async function copyObject(
  store: SwiftAccount,
  from: Place,
  to: Place,
  info: ObjectInfo,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<void> {
  const copied = copyAs(store, from, to, info, headers, signal);
  if (info.type === 'slo') {
    const ended = copied.catch(() => undefined).finally(() => copying.delete(ended));
    copying.add(ended);
  }
  await copied;
}

/** Copies of large objects that are under way. */
const copying = new Set<Promise<unknown>>();

/** Resolves when the copies of large objects have ended that are under way now. */
export async function largeCopies(): Promise<void> {
  await Promise.all(copying);
}

async function copyAs(
  store: SwiftAccount,
  from: Place,
  to: Place,
  info: ObjectInfo,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { type, bytes } = info;
  const joined = type === 'slo' && (await isMadeOfS3Parts(store, from));
  if (joined && bytes > PLAIN_BYTES_MAX) {
    const message =
      'The object is an S3 multipart upload larger than 5 GiB. Use an S3 client to copy or move it.';
    throw new ApiError('too_large', message, { bytes_max: PLAIN_BYTES_MAX });
  }
  const etag = joined ? info.etag : await copiedEtag(store, from.container, from.object, info);
  await store.do([201], 'COPY', {
    ...from,
    query: {
      'multipart-manifest': joined ? undefined : 'get',
      symlink: type === 'symlink' ? 'get' : undefined,
    },
    headers: {
      destination: swiftName(to.container, to.object),
      'if-match': etag,
      ...headers,
    },
    idleMs: COPY_IDLE_MS,
    signal,
  });
}
