import { BackendError } from '../errors.js';

const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;
const MDB_MAP_FULL = -30792;
/** Said at commit when an earlier step of the transaction failed; nothing was written. */
const MDB_BAD_TXN = -30782;

const FULL: ReadonlySet<unknown> = new Set([ENOSPC, EDQUOT, MDB_MAP_FULL, 'ENOSPC', 'EDQUOT']);
/** MDB_INVALID, MDB_CORRUPTED, MDB_PAGE_NOTFOUND */
const DAMAGED: ReadonlySet<unknown> = new Set([-30793, -30796, -30797]);

/** A commit that failed with EIO while less than this was free is reported as a full store. */
const FULL_BELOW_BYTES = 1024 * 1024;

/**
 * A failed commit, in the Backend's terms. `certain` is false when the index may or may not hold
 * the transaction (an I/O error while its meta page was written): then nothing may be undone.
 */
export interface CommitFailure {
  readonly error: BackendError;
  readonly certain: boolean;
}

/** @param freeBytes asks what is free on the index's device */
export async function commitFailure(
  rejection: unknown,
  freeBytes: () => Promise<number>,
): Promise<CommitFailure> {
  const cause = await causeOf(rejection);
  const code = codeOf(cause);
  // LMDB calls a short write EIO, and a short write is what a full device does to a run of pages.
  if (code === EIO && (await freeBytes()) < FULL_BELOW_BYTES) {
    return { error: storageFull(cause), certain: true };
  }
  return { error: asBackendError(cause), certain: FULL.has(code) || code === MDB_BAD_TXN };
}

/**
 * lmdb-js rejects with a general error whose `commitError` is a promise that rejects with the
 * reason a little later.
 */
async function causeOf(rejection: unknown): Promise<unknown> {
  const pending = (rejection as { commitError?: unknown }).commitError;
  if (!(pending instanceof Promise)) return rejection;
  try {
    await pending;
    return rejection;
  } catch (reason) {
    return reason;
  }
}

/** An error of LMDB or the file system as a BackendError; a BackendError passes as it is. */
export function asBackendError(error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  const reason = reasonOf(error);
  const code = codeOf(error);
  if (FULL.has(code)) return storageFull(error);
  if (DAMAGED.has(code)) {
    return new BackendError('Corrupt', `the index is damaged: ${reason}`, { cause: error });
  }
  return new BackendError('Unavailable', `the store failed: ${reason}`, { cause: error });
}

function storageFull(error: unknown): BackendError {
  return new BackendError('StorageFull', `no room in the store: ${reasonOf(error)}`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
