import type { Backend } from '../backend/backend.js';
import {
  type DirectOptions,
  type OpenedDirect,
  type TransportHooks,
  type TransportLoad,
  openDirect,
  openSwiftBackend,
  openTransport,
  type SwiftCredential,
} from '../backend/swift/index.js';
import type { Roster } from '../config/credentials.js';
import { type FilledOptions, storeDirectory } from '../config/options.js';
import { ConfigError } from '../config/problem.js';
import { readStoreSecret } from '../config/secret-file.js';
import { StartError } from './child.js';
import type { HealthCheck, StartFailure } from './protocol.js';

/** What a store tells of itself while it works. */
export interface StoreHooks {
  /** For the embedded store: how long each commit took, and how many writes shared it. */
  readonly onSync?: ((seconds: number, batch: number) => void) | undefined;
  /** Hooks for the requests to a Swift cluster. */
  readonly swift?: SwiftHooks | undefined;
}

export type SwiftHooks = TransportHooks & DirectHooks;
type DirectHooks = Pick<DirectOptions, 'onRead' | 'onNodeError' | 'onHedgeWon' | 'onRing'>;

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
      const { openSwift } = await import('./open-store.js');
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function openEmbedded(options: FilledOptions, { onSync }: StoreHooks): Promise<OpenedStore> {
  const { openEmbeddedStore } = await import('../backend/embedded/index.js');
  const store = await openEmbeddedStore({
    directory: storeDirectory(options),
    inlineBodyBytesMax: options.inlineBodyBytesMax,
    onSync,
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

/** A Swift cluster as the store of a child process. */
interface OpenedSwift {
  readonly backend: Backend;
  load(): TransportLoad;
  checks(): readonly HealthCheck[];
  replaceRoster(roster: Roster): void;
}

/**
 * @throws BackendError `Unavailable` when no proxy answers; ConfigError for a secret file that
 *   cannot be used
 */
export async function openSwift(
  options: FilledOptions,
  roster: Roster,
  hooks: SwiftHooks = {},
): Promise<OpenedSwift> {
  const users = new SwiftUsers(serviceUser(options), roster);
  const transport = openTransport({
    ...hooks,
    endpoints: options.swiftEndpoints,
    authUrl: options.swiftAuthUrl || undefined,
    project: options.swiftProject || undefined,
    domain: options.swiftDomain,
    credentialFor: (account) => users.of(account),
    filterSecret: readStoreSecret('swift_filter_secret_file', options.swiftFilterSecretFile),
    connectionsMax: options.swiftConnectionsMax,
    queueMax: options.swiftQueueMax,
    connectTimeoutMs: options.swiftConnectTimeoutMs,
    headersTimeoutMs: options.swiftHeadersTimeoutMs,
    bodyTimeoutMs: options.swiftBodyTimeoutMs,
    keepAliveMs: options.swiftKeepAliveMs,
  });
  const direct =
    options.swiftRingsDir === ''
      ? undefined
      : await openDirect(transport, directOptions(options, hooks));
  const backend = await openSwiftBackend({
    transport: direct?.transport ?? transport,
    containerCacheMs: options.swiftContainerCacheMs,
    verifyMd5: options.swiftVerifyMd5,
    storagePolicy: options.swiftStoragePolicy || undefined,
  });
  return {
    backend,
    load: () => transport.load(),
    checks: () => [filterCheck(backend, options), ...ringChecks(direct)],
    replaceRoster: (next) => {
      users.replace(next);
    },
  };
}

/** What lacks without the filter; not a reason to serve nothing. */
export const FILTER_MISSING =
  'versions, locks, ACLs, tags, CORS and lifecycle rules answer 501: see docs/swift.md';

function filterCheck({ capabilities }: Backend, options: FilledOptions): HealthCheck {
  const name = 'filter';
  if (capabilities.systemMetadata) return { name, ok: true };
  const why =
    options.swiftFilterSecretFile === ''
      ? 'swift_filter_secret_file is not set'
      : 'the proxies do not have it, or have another secret';
  return { name, ok: true, detail: `${why}; ${FILTER_MISSING}` };
}

function directOptions(options: FilledOptions, hooks: DirectHooks): DirectOptions {
  const { onRead, onNodeError, onHedgeWon, onRing } = hooks;
  return {
    ...{ onRead, onNodeError, onHedgeWon, onRing },
    ringsDir: options.swiftRingsDir,
    swiftConf: options.swiftConf,
    connectionsMax: options.swiftNodeConnectionsMax,
    connectTimeoutMs: options.swiftNodeConnectTimeoutMs,
    nodeTimeoutMs: options.swiftNodeTimeoutMs,
    keepAliveMs: options.swiftKeepAliveMs,
    readAffinity: options.swiftReadAffinity,
    hedgeMs: options.swiftHedgeMs,
  };
}

/** A ring that could not be replaced still serves. */
function ringChecks(direct: OpenedDirect | undefined): HealthCheck[] {
  if (direct === undefined) return [];
  const problems = direct
    .rings()
    .flatMap(({ file, problem }) => (problem === undefined ? [] : [`${file}: ${problem.reason}`]));
  if (problems.length === 0) return [{ name: 'rings', ok: true }];
  const detail = `the former ring is in use: ${problems.join('; ')}`;
  return [{ name: 'rings', ok: true, detail }];
}

function serviceUser({ swiftUser: user, swiftKeyFile }: FilledOptions) {
  const key = readStoreSecret('swift_key_file', swiftKeyFile);
  return user === '' || key === undefined ? undefined : { user, key };
}

/**
 * The gateway's users at Swift: one with rights in every account, or for each account its first
 * owner in the roster.
 */
export class SwiftUsers {
  #owners = new Map<string, SwiftCredential>();

  constructor(
    private readonly service: SwiftCredential | undefined,
    roster: Roster,
  ) {
    this.replace(roster);
  }

  of(account: string): SwiftCredential | undefined {
    return this.service ?? this.#owners.get(account);
  }

  replace(roster: Roster): void {
    const owners = new Map<string, SwiftCredential>();
    for (const { role, account, user, accessKey, secretKey: key } of roster) {
      if (role !== 'owner' || owners.has(account)) continue;
      owners.set(account, { user: user ?? accessKey, key });
    }
    this.#owners = owners;
  }
}
