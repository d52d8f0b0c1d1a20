import type { FilledOptions } from './options.js';
import { readSecretFile } from './secret-file.js';

/** Keys that name files with secrets of the store. */
type SecretKey = 'swift_key_file' | 'swift_filter_secret_file' | 'store_filter_secret_file';

/** @returns undefined when the key is empty @throws ConfigError */
export function readStoreSecret(key: SecretKey, file: string): string | undefined {
  return file === '' ? undefined : readSecretFile(key, file);
}

/**
 * The files that the processes of this configuration will read, each for itself: what is wrong with
 * one is found before any of them is started.
 */
export function storeSecretReads({
  backend,
  storeListen,
  swiftKeyFile,
  swiftFilterSecretFile,
  storeFilterSecretFile,
}: FilledOptions): readonly (() => unknown)[] {
  if (backend === 'swift') {
    return [
      () => readStoreSecret('swift_key_file', swiftKeyFile),
      () => readStoreSecret('swift_filter_secret_file', swiftFilterSecretFile),
    ];
  }
  if (storeListen === '') return [];
  return [() => readStoreSecret('store_filter_secret_file', storeFilterSecretFile)];
}
