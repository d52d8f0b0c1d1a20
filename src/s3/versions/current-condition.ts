import type { Backend, CallContext, WritePrecondition } from '../../backend/backend.js';
import { writePreconditionFailed } from '../rules/write-conditions.js';
import type { VersionedKey } from './names.js';
import { entryFor, look, type Standing } from './standing.js';
import type { VersionIndex } from './version-entry.js';

/** `If-Match` and `If-None-Match` are of the current version; a delete marker is none. */

/**
 * To be asked before a body is read that is not going to be stored; it decides nothing.
 * @throws S3Error `PreconditionFailed`
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
 * @throws S3Error `PreconditionFailed`
 */
export function requireHolds(
  condition: WritePrecondition,
  index: VersionIndex,
  standing: Standing,
): void {
  if (standing.kind === 'plain' && entryFor(standing, index) === undefined) {
    requireEtag(condition, standing.etag);
    return;
  }
  const [current] = index.entries;
  requireEtag(condition, current?.kind === 'version' ? current.etag : undefined);
}

function requireEtag(condition: WritePrecondition, etag: string | undefined): void {
  const holds = 'absent' in condition ? etag === undefined : etag === condition.etag;
  if (!holds) throw writePreconditionFailed(condition);
}
