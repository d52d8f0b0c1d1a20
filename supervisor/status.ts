import { formatAddress, type FilledOptions, type ListenAddress } from '../src/config/options.js';
import { configHash } from '../src/config/print.js';
import { loadOf } from './child-load.js';
import type { Slot } from './fleet.js';
import { isUp, type ServicePhase } from './health.js';
import { usageOf } from './process-usage.js';
import type { VersionInfo } from './version.js';

export interface StatusInput {
  readonly version: VersionInfo;
  readonly startedAt: Date;
  readonly phase: ServicePhase;
  readonly options: FilledOptions;
  /** Undefined while nothing listens there. */
  readonly adminListen: ListenAddress | undefined;
  /** The slots that serve, then those of a former generation. */
  readonly slots: readonly Slot[];
}

/** The answer of `/statusz`, to become JSON. */
export function renderStatus(input: StatusInput): unknown {
  const { version, startedAt, phase, options, slots } = input;
  return {
    ...version,
    pid: process.pid,
    started_at: startedAt.toISOString(),
    phase,
    ...usageOf(process.pid),
    configuration_hash: configHash(options),
    s3_listen: formatAddress(options.s3Listen),
    listeners: addresses(input),
    children: slots.map(({ kind, worker, child, restarts }) => ({
      kind,
      worker: worker === 0 ? undefined : worker,
      pid: child?.pid ?? null,
      state: stateOf(child, options),
      restarts,
      started_at: child?.startedAt.toISOString() ?? null,
      ...usageOf(child?.pid),
      ...loadOf(child?.metrics ?? []),
    })),
  };
}

/** `silent`: it stands still, so that nothing is heard of it. */
function stateOf(child: Slot['child'], { probeIntervalMs }: FilledOptions): string {
  if (child === undefined) return 'waiting';
  const isSilent =
    child.state === 'up' && !isUp(child, { now: performance.now(), probeIntervalMs });
  return isSilent ? 'silent' : child.state;
}

/** The addresses of the service, by purpose. */
function addresses({ options, adminListen }: StatusInput): Readonly<Record<string, string>> {
  const { s3Listen, storeListen, consoleListen } = options;
  return {
    s3: formatAddress(s3Listen),
    ...(adminListen && { admin: formatAddress(adminListen) }),
    ...(storeListen === '' ? {} : { swift_api: formatAddress(storeListen) }),
    ...(consoleListen === '' ? {} : { console: formatAddress(consoleListen) }),
  };
}
