import { StoreOpenError, type StoreOpenErrorCode } from '../src/backend/embedded/open-error.js';
import type { FilledOptions } from '../src/config/options.js';
import { Failure, type ExitReason } from './exit-codes.js';

const EXIT_REASON: Readonly<Record<StoreOpenErrorCode, ExitReason>> = {
  format_mismatch: 'format',
  not_a_directory: 'dataDirectory',
  unwritable: 'dataDirectory',
  full: 'full',
  corrupt: 'dataDirectory',
  unavailable: 'dataDirectory',
};

/** Makes the store fit to be opened by the listeners: creates it, or repairs what a crash left. */
export type PrepareStore = (options: FilledOptions) => Promise<void>;

/** @throws Failure for what a {@link StoreOpenError} says; other errors as they are */
export async function prepareStore(prepare: PrepareStore, options: FilledOptions): Promise<void> {
  try {
    await prepare(options);
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    throw new Failure(EXIT_REASON[error.code], error.message, { cause: error });
  }
}
