/** Why a store did not open; the supervisor maps each to an exit code. */
export type StoreOpenErrorCode =
  /** Written by another version of the format. */
  | 'format_mismatch'
  /** A process of an earlier build, which does not know the gate, has it open. */
  | 'in_use'
  | 'not_a_directory'
  /** Missing parent, no permission, or a read-only file system. */
  | 'unwritable'
  /** Too little room on the device for a new store. */
  | 'full'
  /** The index is not what it should be. */
  | 'corrupt'
  /** Anything else the operating system said. */
  | 'unavailable';

export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';

  constructor(
    readonly code: StoreOpenErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const BY_ERRNO: Readonly<Record<string, StoreOpenErrorCode>> = {
  ENOTDIR: 'not_a_directory',
  EEXIST: 'not_a_directory',
  EACCES: 'unwritable',
  EPERM: 'unwritable',
  EROFS: 'unwritable',
  ENOENT: 'unwritable',
  ENOSPC: 'full',
  EDQUOT: 'full',
};

/** LMDB reports errno values and its own codes as numbers (lmdb.h). */
const BY_LMDB_CODE: Readonly<Record<number, StoreOpenErrorCode>> = {
  1: 'unwritable', // EPERM
  2: 'unwritable', // ENOENT
  13: 'unwritable', // EACCES
  20: 'not_a_directory', // ENOTDIR
  28: 'full', // ENOSPC
  30: 'unwritable', // EROFS
  122: 'full', // EDQUOT
  [-30793]: 'corrupt', // MDB_INVALID
  [-30794]: 'format_mismatch', // MDB_VERSION_MISMATCH
  [-30796]: 'corrupt', // MDB_CORRUPTED
  [-30797]: 'corrupt', // MDB_PAGE_NOTFOUND
};

/** Names what went wrong while opening `directory`; a {@link StoreOpenError} passes as it is. */
export function asStoreOpenError(error: unknown, directory: string): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const code = (error as { code?: unknown }).code;
  const known =
    typeof code === 'string'
      ? BY_ERRNO[code]
      : typeof code === 'number'
        ? BY_LMDB_CODE[code]
        : undefined;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreOpenError(
    known ?? 'unavailable',
    `cannot open the store in ${directory}: ${reason}`,
    { cause: error },
  );
}
