import {
  openEmbeddedStore,
  StoreOpenError,
  type StoreOpenErrorCode,
} from '../src/backend/embedded/index.js';
import { type FilledOptions, storeDirectory } from '../src/config/options.js';
import { Failure, type ExitReason } from './exit-codes.js';

const EXIT_REASON: Readonly<Record<StoreOpenErrorCode, ExitReason>> = {
  format_mismatch: 'format',
  in_use: 'locked',
  not_a_directory: 'dataDirectory',
  unwritable: 'dataDirectory',
  full: 'full',
  corrupt: 'dataDirectory',
  unavailable: 'dataDirectory',
};

/** Makes the store fit to be opened by listeners: creates it, or finishes what a crash left. */
export type RecoverStore = (options: FilledOptions) => Promise<void>;

/**
 * Opens the embedded store, where there is one, recovers it and lets go of it: the supervisor
 * serves nothing. Safe
 * while listeners work, so it also follows the death of one.
 * @throws Failure `format`, `dataDirectory`, `full`
 */
export async function recoverStore(options: FilledOptions): Promise<void> {
  // Swift looks after itself.
  if (options.backend !== 'embedded') return;
  try {
    const store = await openEmbeddedStore({ directory: storeDirectory(options) });
    try {
      await store.recover();
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    throw new Failure(EXIT_REASON[error.code], error.message, { cause: error });
  }
}
