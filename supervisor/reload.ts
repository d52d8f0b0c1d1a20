import { isDeepStrictEqual } from 'node:util';
import type { FilledOptions, ListenAddress } from '../src/config/options.js';
import { claimAddress } from './addresses.js';
import { Failure } from './exit-codes.js';

/** The options of the running service, as given and as they turned out. */
export interface Running {
  /** The options as configured: a port may be 0. */
  readonly asked: FilledOptions;
  /** The options with real ports. */
  readonly options: FilledOptions;
}

/**
 * The new configuration as a running service takes it: where nothing has changed it keeps the ports
 * that it has, also those that the kernel had chosen.
 * @throws Failure `listen`
 */
export async function resolveForReload(
  asked: FilledOptions,
  running: Running,
): Promise<FilledOptions> {
  const { asked: before, options: now } = running;
  const store = asked.backend === 'embedded' ? asked.storeListen : '';
  const { consoleListen: consoleAsked } = asked;
  return {
    ...asked,
    s3Listen: await resolved('s3_listen', asked.s3Listen, before.s3Listen, now.s3Listen),
    adminListen: await resolved(
      'admin_listen',
      asked.adminListen,
      before.adminListen,
      now.adminListen,
    ),
    storeListen:
      store && (await resolved('store_listen', store, before.storeListen, now.storeListen)),
    consoleListen:
      consoleAsked &&
      (await resolved('console_listen', consoleAsked, before.consoleListen, now.consoleListen)),
  };
}

/** @throws Failure `config` for what only a start can change */
export function refuseOtherDataDir(asked: FilledOptions, dataDir: string): void {
  if (asked.dataDir === dataDir) return;
  throw new Failure(
    'config',
    `data_dir: got ${asked.dataDir}, expected ${dataDir}, as at the start: another one needs a restart`,
  );
}

/** @param before - as it was asked for; empty for none, as `now` is */
async function resolved(
  key: string,
  address: ListenAddress,
  before: ListenAddress | '',
  now: ListenAddress | '',
): Promise<ListenAddress> {
  if (before === '' || now === '') return claimAddress(key, address);
  if (isDeepStrictEqual(address, before)) return now;
  // The port is ours, on another interface: only the listeners can try it.
  if (address.port === now.port) return address;
  return claimAddress(key, address);
}

/** The configuration keys that differ, for the log; values may be secret. */
export function changedKeys(before: FilledOptions, after: FilledOptions): string[] {
  const names = Object.keys(after) as (keyof FilledOptions)[];
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
