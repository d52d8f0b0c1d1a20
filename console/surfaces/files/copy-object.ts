import type { SwiftAccount } from '../../swift/account.js';
import { swiftName } from '../../swift/path.js';
import type { ObjectType } from './object-info.js';

export interface Place {
  readonly container: string;
  readonly object: string;
}

export interface Copied {
  readonly etag: string;
  readonly type: ObjectType;
}

/** A copy inside the store may take as long as reading and writing five gigabytes takes. */
const COPY_IDLE_MS = 15 * 60_000;

/**
 * A copy of the object itself: a manifest stays one, and a link stays one.
 * @param copied what the source must still be: its ETag is compared by the store
 * @throws SwiftStatusError 404, 412
 */
export async function copyObject(
  store: SwiftAccount,
  from: Place,
  to: Place,
  { etag, type }: Copied,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<void> {
  await store.do([201], 'COPY', {
    ...from,
    query: {
      'multipart-manifest': 'get',
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

/** @throws SwiftStatusError for any failure but that there is none */
export async function exists(store: SwiftAccount, { container, object }: Place): Promise<boolean> {
  const query = { symlink: 'get' };
  const { status } = await store.do([200, 204, 404], 'HEAD', { container, object, query });
  return status !== 404;
}
