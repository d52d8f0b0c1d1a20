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
  const s3Listen = await resolved('s3_listen', asked.s3Listen, {
    asked: running.asked.s3Listen,
    now: running.options.s3Listen,
  });
  const adminListen = await resolved('admin_listen', asked.adminListen, {
    asked: running.asked.adminListen,
    now: running.options.adminListen,
  });
  const storeAsked = asked.backend === 'embedded' ? asked.storeListen : '';
  const storeListen = await resolvedOptional('store_listen', storeAsked, {
    asked: running.asked.storeListen,
    now: running.options.storeListen,
  });
  const consoleListen = await resolvedOptional('console_listen', asked.consoleListen, {
    asked: running.asked.consoleListen,
    now: running.options.consoleListen,
  });
  return { ...asked, s3Listen, adminListen, storeListen, consoleListen };
}

/** @throws Failure `config` for what only a start can change */
export function refuseOtherDataDir(asked: FilledOptions, dataDir: string): void {
  if (asked.dataDir === dataDir) return;
  throw new Failure(
    'config',
    `data_dir: got ${asked.dataDir}, expected ${dataDir}, as at the start: another one needs a restart`,
  );
}

/** Resolves an address that may be empty, which means none. */
async function resolvedOptional(
  key: string,
  address: ListenAddress | '',
  { asked, now }: { readonly asked: ListenAddress | ''; readonly now: ListenAddress | '' },
): Promise<ListenAddress | ''> {
  if (address === '') return '';
  return asked === '' || now === ''
    ? claimAddress(key, address)
    : resolved(key, address, { asked, now });
}

async function resolved(
  key: string,
  address: ListenAddress,
  former: { readonly asked: ListenAddress; readonly now: ListenAddress },
): Promise<ListenAddress> {
  if (isDeepStrictEqual(address, former.asked)) return former.now;
  // The port is ours, on another interface: only the listeners can try it.
  if (address.port === former.now.port) return address;
  return claimAddress(key, address);
}

/** The configuration keys that differ, for the log; values may be secret. */
export function changedKeys(before: FilledOptions, after: FilledOptions): string[] {
  const names = Object.keys(after) as (keyof FilledOptions)[];
  return names
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
