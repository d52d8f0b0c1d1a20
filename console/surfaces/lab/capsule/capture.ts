import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../../server/api-error.js';
import type { SwiftAccount } from '../../../swift/account.js';
import type { LabRings } from '../ground/lab-rings.js';
import type { NodeReader } from '../ground/node-reader.js';
import { locate, policyIndexOf, rawPathOf, type Lookup } from '../rings/lookup.js';
import type { FieldDifference } from './difference.js';
import { judge, OPEN_EXPIRED, replicaRow, type Judgement, type ReplicaRow } from './replicas.js';
import { backendPlace, readSubject, type ObjectPlace, type Subject } from './subject.js';

/** Where the ring says that an object lies. */
export interface Placement extends Lookup {
  readonly ring: string;
  readonly ring_md5: string;
  readonly ring_version: number | null;
}

/** The state of an object at one moment: what a capsule is made of. */
export interface Capture extends Judgement {
  readonly id: string;
  readonly created_unix_s: number;
  readonly actor: string;
  /** As the store has it. */
  readonly account: string;
  readonly container: string;
  readonly name: string;
  /** The version that was asked for; null for the current one. */
  readonly asked_version_id: string | null;
  readonly object: Omit<Subject, 'headers'>;
  readonly headers: Subject['headers'];
  /** The headers that servers keep, and clients never see. */
  readonly system: Readonly<Record<string, string>>;
  /** Null where there is no ring. */
  readonly placement: Placement | null;
  readonly replicas: readonly ReplicaRow[];
  /** Why the storage servers were not asked; null where they were. */
  readonly unavailable: string | null;
  /** How an object that has just been written from a capsule differs from it. */
  readonly differences?: readonly FieldDifference[];
}

export interface CaptureTools {
  readonly rings: LabRings;
  readonly nodes: NodeReader;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const SYSTEM =
  /^x-(?:object-(?:sysmeta|transient-sysmeta)-|backend-(?:fragments|data-timestamp|durable-timestamp))/;
const SAMPLE_HAS_NO_SERVERS = 'These rings are sample data. There are no servers to query.';
const SYSTEM_BYTES_MAX = 64 * 1024;

/**
 * Asks the client's side, the ring, and each storage server that should have the object or stands in.
 *
 * @param onProgress - called with the servers that have answered, and all of them
 * @throws ApiError busy; SwiftStatusError, UpstreamError; the signal's reason
 */
export async function capture(
  { rings, nodes, now }: CaptureTools,
  store: SwiftAccount,
  place: ObjectPlace,
  actor: string,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<Capture> {
  const subject = await readSubject(store, place);
  const { headers, ...object } = subject;
  const nowS = Math.floor(now() / 1000);
  const base = {
    id: randomUUID(),
    created_unix_s: nowS,
    actor,
    account: store.name,
    container: place.container,
    name: place.name,
    asked_version_id: place.version_id ?? null,
    object,
    headers,
  };
  const version = place.version_id ?? subject.version_id;
  const backend = backendPlace(place.container, place.name, version);
  const target = { account: store.name, container: backend.container, object: backend.object };
  const found = await placementOf(rings, subject.policy, target);
  if ('unavailable' in found) {
    const state = subject.status === 404 ? 'absent' : 'present';
    const { unavailable } = found;
    const rest = { state, verdict: 'nothing', reasons: [unavailable], unavailable } as const;
    return { ...base, ...rest, system: {}, placement: null, replicas: [] };
  }
  const { placement, devices } = found;
  const all = [...placement.primaries, ...placement.handoffs];
  const policyIndex = policyIndexOf(placement.ring);
  let done = 0;
  const system: Record<string, string> = {};
  const replicas = await Promise.all(
    all.map(async (one) => {
      signal.throwIfAborted();
      const device = devices[one.id];
      if (device === undefined || device === null) return [];
      const { part } = placement;
      const answer = await nodes.ask(device, part, rawPathOf(target), policyIndex, OPEN_EXPIRED);
      if (answer.head.state === 'present') collect(system, answer.headers);
      onProgress(++done, all.length);
      return [replicaRow(one, answer)];
    }),
  );
  signal.throwIfAborted();
  const rows = replicas.flat();
  const judged = judge(rows, subject.status, nowS);
  return { ...base, ...judged, system, placement, replicas: rows, unavailable: null };
}

async function placementOf(
  rings: LabRings,
  policyName: string | null,
  target: { readonly account: string; readonly container: string; readonly object: string },
) {
  try {
    const policies = [...(await rings.policies()).values()];
    const policy =
      policies.find(({ names }) =>
        names.some((name) => name.toLowerCase() === policyName?.toLowerCase()),
      ) ?? (policyName === null ? policies.find(({ isDefault }) => isDefault) : undefined);
    if (await rings.isSample()) return { unavailable: SAMPLE_HAS_NO_SERVERS } as const;
    if (policy === undefined) {
      return { unavailable: `swift.conf has no policy ${policyName}.` } as const;
    }
    const { opened, hash, part, primaries, handoffs } = await locate(
      rings,
      policy.ringName,
      target,
    );
    const { md5: ring_md5, data } = opened.read;
    const about = { ring: policy.ringName, ring_md5, ring_version: data.version ?? null };
    const placement: Placement = { ...about, hash, part, primaries, handoffs };
    return { placement, devices: data.devices } as const;
  } catch (error) {
    if (error instanceof ApiError) return { unavailable: error.message } as const;
    throw error;
  }
}

function collect(system: Record<string, string>, headers: IncomingHttpHeaders): void {
  let left = SYSTEM_BYTES_MAX - JSON.stringify(system).length;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !SYSTEM.test(name) || name in system) continue;
    left -= name.length + value.length;
    if (left < 0) return;
    system[name] = value;
  }
}
