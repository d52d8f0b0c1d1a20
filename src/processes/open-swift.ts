import type { Backend } from '../backend/backend.js';
import {
  type DirectOptions,
  type OpenedDirect,
  type TransportLoad,
  openDirect,
  openSwiftBackend,
  openTransport,
  type TransportHooks,
  type SwiftCredential,
} from '../backend/swift/index.js';
import type { Roster } from '../config/credentials.js';
import { type FilledOptions } from '../config/options.js';
import { readStoreSecret } from '../config/secret-file.js';
import type { HealthCheck } from './protocol.js';

export type SwiftHooks = TransportHooks & DirectHooks;
type DirectHooks = Pick<DirectOptions, 'onRead' | 'onNodeError' | 'onHedgeWon' | 'onRing'>;

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
    probeMs: options.probeIntervalMs,
    probeTimeoutMs: options.swiftProbeTimeoutMs,
    hedgeShare: options.swiftProxyHedgePercent / 100,
  });
  const direct =
    options.swiftRingsDir === ''
      ? undefined
      : await openDirect(transport, directOptions(options, hooks));
  const backend = await openSwiftBackend({
    transport: direct?.transport ?? transport,
    containerCacheMs: options.swiftContainerCacheMs,
    verifyMd5: options.swiftVerifyMd5,
    segmentsAreSwept: segmentsAreSwept(options),
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

/** Without a list of accounts, the janitor may not come to all of them: see JanitorAccounts. */
function segmentsAreSwept({ janitorIntervalMs, credentialsSource }: FilledOptions): boolean {
  return janitorIntervalMs > 0 && credentialsSource !== 'identity';
}

/** The functions that are missing without the filter; not a reason to serve nothing. */
export const FILTER_MISSING =
  'versions, locks, ACLs, tags, CORS and lifecycle rules answer 501: see docs/swift.md';

/** The function that is missing with a filter of an earlier release. */
export const HOP_RIGHTS_MISSING =
  'what a link or a manifest of a Swift client leads to is refused to everybody: replace the filter in all proxies, see docs/swift.md';

export function filterCheck(
  { capabilities }: Pick<Backend, 'capabilities'>,
  options: Pick<FilledOptions, 'swiftFilterSecretFile'>,
): HealthCheck {
  const name = 'filter';
  const { systemMetadata, hopRights } = capabilities;
  if (systemMetadata && hopRights !== false) return { name, ok: true };
  if (systemMetadata)
    return { name, ok: true, detail: `it is an older one; ${HOP_RIGHTS_MISSING}` };
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
