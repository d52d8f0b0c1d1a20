import type {
  Backend,
  CallContext,
  DeletePrecondition,
  WritePrecondition,
} from '../../backend/backend.js';
import { writePreconditionFailed } from '../rules/write-conditions.js';
import { S3Error } from '../s3-error.js';
import type { VersionedKey } from './names.js';
import { entryFor, look, type Standing } from './standing.js';
import type { VersionIndex } from './version-entry.js';

/** `If-Match` and `If-None-Match` are of the current version; a delete marker is none. */

/**
 * To be asked before a body is read that is not going to be stored; it decides nothing.
 * @throws S3Error `PreconditionFailed`; `NoSuchKey` when there is nothing to match, as AWS
 */
export async function requireProbable(
  backend: Backend,
  call: CallContext,
  of: VersionedKey,
  condition: WritePrecondition,
): Promise<void> {
  const standing = await look(backend, call, of);
  if (standing.kind === 'broken-link') return;
  requireEtag(condition, standing.kind === 'nothing' ? undefined : standing.etag);
}

/**
 * Decides, on the index that the write is committed on.
 * @param standing - what stands at the key: a plain object that the index does not know is current
 * @throws S3Error `PreconditionFailed`; `NoSuchKey` when there is nothing to match, as AWS
 */
export function requireHolds(
  condition: DeletePrecondition,
  index: VersionIndex,
  standing: Standing,
): void {
  const isPlain = standing.kind === 'plain' && entryFor(standing, index) === undefined;
  const [latest] = index.entries;
  const current = isPlain ? standing : latest?.kind === 'version' ? latest : undefined;
  requireEtag(condition, current?.etag);
  if (!('lastModified' in condition) || condition.lastModified === undefined) return;
  if (current?.lastModified !== condition.lastModified) throw writePreconditionFailed(condition);
}

function requireEtag(condition: DeletePrecondition, etag: string | undefined): void {
  if (hasWanted(condition, etag)) return;
  if (etag === undefined) throw new S3Error('NoSuchKey');
  throw writePreconditionFailed(condition);
}

function hasWanted(condition: DeletePrecondition, etag: string | undefined): boolean {
  if ('absent' in condition) return etag === undefined;
  if ('present' in condition && condition.etag === undefined) return etag !== undefined;
  return etag === condition.etag;
}
