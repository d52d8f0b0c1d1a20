import type {
  Backend,
  CallContext,
  DeletePrecondition,
  WritePrecondition,
} from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { writePreconditionFailed } from '../rules/write-conditions.js';
import { entryFor, readCurrentState, type CurrentState } from './current-state.js';
import { type VersionedKey } from './names.js';
import type { VersionIndex } from './version-entry.js';

/** `If-Match` and `If-None-Match` are of the current version; a delete marker is none. */

/**
 * Refuses early, before a body is read, what would probably be refused; it is not the final
 * decision.
 * @throws S3Error `PreconditionFailed`; `NoSuchKey` when there is nothing to match, like AWS
 */
export async function requireProbable(
  backend: Backend,
  call: CallContext,
  key: VersionedKey,
  condition: WritePrecondition,
): Promise<void> {
  const standing = await readCurrentState(backend, call, key);
  if (standing.kind === 'broken-link') return;
  requireEtag(condition, standing.kind === 'nothing' ? undefined : standing.etag);
}

/**
 * Decides, on the index that the write is committed on.
 * @param state - what stands at the key: a plain object that the index does not know is current
 * @throws S3Error `PreconditionFailed`; `NoSuchKey` when there is nothing to match, as AWS
 */
export function requireHolds(
  condition: DeletePrecondition,
  index: VersionIndex,
  state: CurrentState,
): void {
  const isPlain = state.kind === 'plain' && entryFor(state, index) === undefined;
  const [latest] = index.entries;
  const current = isPlain ? state : latest?.kind === 'version' ? latest : undefined;
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
