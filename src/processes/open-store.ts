import type { Backend } from '../backend/backend.js';
import type { TransportLoad } from '../backend/swift/index.js';
import type { Roster } from '../config/credentials.js';
import { type FilledOptions, storeDirectory } from '../config/options.js';
import { ConfigError } from '../config/problem.js';
import { messageOf } from '../lib/error-message.js';
import { StartError } from './child.js';
import type { SwiftHooks } from './open-swift.js';
import type { HealthCheck, StartFailure } from './protocol.js';

/** Reports that a store gives while it works. */
export interface StoreHooks {
  /** For the embedded store: how long each commit took, and how many writes shared it. */
  readonly onSync?: ((seconds: number, batch: number) => void) | undefined;
  /** For the embedded store: each wait at the gate that keeps opens and commits apart. */
  readonly onGateWait?: ((waiter: 'open' | 'commit', seconds: number) => void) | undefined;
  /** Hooks for the requests to a Swift cluster. */
  readonly swift?: SwiftHooks | undefined;
}

/** The store that the configuration names, as a child process has it open. */
export interface OpenedStore {
  readonly backend: Backend;
  /** Bytes that the embedded store takes. */
  readonly bytesUsed?: (() => number) | undefined;
  /** Connections to a Swift cluster. */
  readonly load?: (() => TransportLoad) | undefined;
  /** Beside whether it answers: what an operator should know. */
  checks(): readonly HealthCheck[];
  /** Replaces the users of the gateway at a Swift cluster. */
  replaceRoster(roster: Roster): void;
}

/**
 * Opens the store, as every child process does for itself. Loads the code of that kind of store
 * alone: Swift's client, with its HTTP library, is 10 MiB of memory in each process.
 *
 * @throws StartError `store`; of a Swift cluster `unreachable`, or `config` for its secrets
 */
export async function openStore(
  options: FilledOptions,
  roster: Roster,
  hooks: StoreHooks = {},
): Promise<OpenedStore> {
  try {
    if (options.backend === 'swift') {
      const { openSwift } = await import('./open-swift.js');
      return await openSwift(options, roster, hooks.swift);
    }
    return await openEmbedded(options, hooks);
  } catch (error) {
    throw new StartError(failureOf(error, options), messageOf(error), { cause: error });
  }
}

function failureOf(error: unknown, { backend }: FilledOptions): StartFailure {
  if (error instanceof ConfigError) return 'config';
  return backend === 'swift' ? 'unreachable' : 'store';
}

async function openEmbedded(
  options: FilledOptions,
  { onSync, onGateWait }: StoreHooks,
): Promise<OpenedStore> {
  const { openEmbeddedStore } = await import('../backend/embedded/index.js');
  const store = await openEmbeddedStore({
    directory: storeDirectory(options),
    inlineBodyBytesMax: options.inlineBodyBytesMax,
    onSync,
    onGateWait,
  });
  return {
    backend: store,
    bytesUsed: () => {
      const { bytesUsed, indexBytes } = store.stats();
      return bytesUsed + indexBytes;
    },
    checks: () => [],
    replaceRoster: () => undefined,
  };
}
