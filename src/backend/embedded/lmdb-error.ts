import { BackendError } from '../errors.js';

const ENOSPC = 28;
const EDQUOT = 122;
const MDB_MAP_FULL = -30792;
/** Said at commit when an earlier step of the transaction failed; nothing was written. */
const MDB_BAD_TXN = -30782;

const FULL: ReadonlySet<unknown> = new Set([ENOSPC, EDQUOT, MDB_MAP_FULL, 'ENOSPC', 'EDQUOT']);
/** MDB_INVALID, MDB_CORRUPTED, MDB_PAGE_NOTFOUND */
const DAMAGED: ReadonlySet<unknown> = new Set([-30793, -30796, -30797]);

/**
 * A failed commit, in the Backend's terms. `certain` is false when the index may or may not hold
 * the transaction (an I/O error while its meta page was written): then nothing may be undone.
 */
export interface CommitFailure {
  readonly error: BackendError;
  readonly certain: boolean;
}

/**
 * lmdb-js rejects with a general error whose `commitError` is a promise that rejects with the
 * reason a little later.
 */
export async function commitFailure(rejection: unknown): Promise<CommitFailure> {
  let cause = rejection;
  const pending = (rejection as { commitError?: unknown }).commitError;
  if (pending instanceof Promise) {
    try {
      await pending;
    } catch (reason) {
      cause = reason;
    }
  }
  const code = codeOf(cause);
  return { error: asBackendError(cause), certain: FULL.has(code) || code === MDB_BAD_TXN };
}

/** What LMDB or the file system said, as a BackendError; one of those passes as it is. */
export function asBackendError(error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (FULL.has(code)) {
    return new BackendError('StorageFull', `no room in the store: ${reason}`, { cause: error });
  }
  if (DAMAGED.has(code)) {
    return new BackendError('Corrupt', `the index is damaged: ${reason}`, { cause: error });
  }
  return new BackendError('Unavailable', `the store failed: ${reason}`, { cause: error });
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
