import { ApiError } from '../../../server/api-error.js';

/** Refusals that several pages of the Lab have. */

/** @param retryAfterS - seconds to wait before the next try */
export function busy(message: string, retryAfterS: number): ApiError {
  return new ApiError('busy', message, undefined, retryAfterS);
}

/** @throws ApiError feature_disabled where nothing of the cluster may be changed */
export function needMutations({ labMutations }: { readonly labMutations: boolean }): void {
  if (labMutations) return;
  throw new ApiError(
    'feature_disabled',
    'Changes in the Lab are disabled. Set lab_mutations to enable them.',
    { needs: 'lab_mutations' },
  );
}

/** The refusal of a run that a former console began: the account of its user is gone. */
export function sessionGone(): ApiError {
  return new ApiError(
    'conflict',
    'The session that started this run is no longer available. Start a new run.',
  );
}

/** Why the disks cannot be read where `node_root` is not set. */
export const NO_NODE_ROOT = "No directory with the nodes' disks is configured.";

/** The keys of the configuration that are missing, in a row; null where none is. */
export function missingOf(needed: Readonly<Record<string, boolean>>): string | null {
  const missing = Object.keys(needed).filter((key) => needed[key] === false);
  return missing.length === 0 ? null : missing.join(', ');
}
