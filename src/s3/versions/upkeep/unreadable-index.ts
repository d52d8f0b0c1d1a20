import type { CallContext } from '../../../backend/backend.js';
import { S3Error } from '../../errors.js';
import { applyCommit } from '../index-changes.js';
import { NOTHING_STORED, prepareIndex, type StoredIndex } from '../index-store.js';
import { indexRef, type VersionedKey } from '../names.js';
import { NO_INDEX, type VersionChange, type VersionIndex } from '../version-entry.js';
import type { VersionDeps } from '../deps.js';

/** A document that lies in the place of an index but is none. */
export interface UnreadableDocument {
  /** Its beginning. */
  readonly text: string;
  readonly etag: string;
  readonly lastModified: number;
}

/** The most that is read of it. */
const BYTES_MAX = 65_536;

/** @throws S3Error `InternalError` for one of a later release, which is not to be replaced */
export async function unreadableDocument(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<UnreadableDocument> {
  const { head, body } = await backend.getObject(call, indexRef(key), undefined, { newest: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (Buffer.isBuffer(body.source)) chunks.push(body.source);
  else {
    for await (const chunk of body.source) {
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes >= BYTES_MAX) break;
    }
  }
  const text = Buffer.concat(chunks).subarray(0, BYTES_MAX).toString();
  if (isOfLaterRelease(text)) {
    const cause = new Error('the index is of a later release of Ringway: it is left alone');
    throw new S3Error('InternalError', undefined, {}, { cause });
  }
  const { etag, lastModified } = head;
  return { text, etag, lastModified };
}

function isOfLaterRelease(text: string): boolean {
  const format = /^\{"format":(\d+)/u.exec(text)?.[1];
  return format !== undefined && format !== '1';
}

/**
 * Puts an index in its place with one write. Without any index between the two, another writer would
 * make one that names none of the versions, and the janitor would sweep them.
 *
 * @param plan - what to change of the index that the fences lead to
 * @throws S3Error `ServiceUnavailable` when another request was faster, `InvalidRequest` when the
 *   index would be too large
 */
export async function replaceUnreadable(
  { ids, store }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { etag, lastModified }: UnreadableDocument,
  plan: (index: VersionIndex) => VersionChange | undefined,
): Promise<StoredIndex> {
  let index = NO_INDEX;
  let generation = 1;
  for (;;) {
    const fence = await store.readFence(call, key, generation);
    if (fence === undefined) break;
    if (fence.parent === index.commit) index = applyCommit(index, fence);
    generation += 1;
  }
  const commit = { generation, id: ids.mint(), parent: index.commit, change: plan(index) ?? {} };
  const next = prepareIndex(applyCommit(index, commit));
  store.requireFits(next, NOTHING_STORED.index);
  const { outcome } = await store.createFence(call, key, commit, 'deletion');
  // Behind it also where it is a damaged index of ours, of any generation.
  const before = { index, etag, lastModified: lastModified + 1 };
  const stored =
    outcome === 'written' ? await store.writeIndex(call, key, next, before) : undefined;
  if (stored === undefined) throw new S3Error('ServiceUnavailable');
  return stored;
}
