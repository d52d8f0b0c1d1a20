import type { IncomingHttpHeaders } from 'node:http';
import type { LookupDevice } from '../rings/lookup.js';
import type { NodeAnswer, NodeHead } from '../ground/node-reader.js';

/** The state of an object on one storage server. */
export interface ReplicaRow
  extends NodeHead, Pick<LookupDevice, 'index' | 'region' | 'zone' | 'ip' | 'port' | 'device'> {
  readonly device_id: number;
  readonly role: 'primary' | 'handoff';
  /** The kind of file that says so. */
  readonly kind: '.data' | '.meta' | '.ts' | null;
  /** The size of the whole object, also where the server has a fragment of it. */
  readonly bytes: number | null;
  readonly fragment: number | null;
  readonly delete_at_unix_s: number | null;
}

export type Verdict = 'consistent' | 'divergent' | 'under_replicated' | 'ghost' | 'nothing';

/** The meaning of all replicas together. */
export interface Judgement {
  readonly state: 'present' | 'expired' | 'deleted' | 'absent';
  readonly verdict: Verdict;
  /** Sentences that say why. */
  readonly reasons: readonly string[];
}

/** Opens what has expired, on releases that know the one header or the other. */
export const OPEN_EXPIRED = {
  'x-backend-replication': 'true',
  'x-backend-open-expired': 'true',
} as const;

/** @param answer - of the device's server to a HEAD */
export function replicaRow(device: LookupDevice, { head, headers }: NodeAnswer): ReplicaRow {
  const { id, index, region, zone, ip, port, device: name } = device;
  const coded = text(headers, 'x-object-sysmeta-ec-etag');
  const codedBytes = numberOf(headers, 'x-object-sysmeta-ec-content-length');
  return {
    device_id: id,
    index,
    role: index === null ? 'handoff' : 'primary',
    ...{ region, zone, ip, port, device: name },
    ...head,
    kind: kindOf(head),
    bytes: codedBytes ?? head.bytes,
    etag: coded ?? head.etag,
    fragment: numberOf(headers, 'x-object-sysmeta-ec-frag-index'),
    delete_at_unix_s: head.state === 'present' ? numberOf(headers, 'x-delete-at') : null,
  };
}

function kindOf({ state, timestamp, data_timestamp: data }: NodeHead): ReplicaRow['kind'] {
  if (state === 'tombstone') return '.ts';
  if (state !== 'present') return null;
  return data !== null && timestamp !== null && data !== timestamp ? '.meta' : '.data';
}

/**
 * Judges the replicas of an object. Timestamps of Swift compare as texts.
 *
 * @param clientStatus - what a client is answered: 200 or 404
 * @param nowS - seconds since 1970
 */
export function judge(rows: readonly ReplicaRow[], clientStatus: number, nowS: number): Judgement {
  const present = rows.filter(({ state }) => state === 'present');
  const tombstones = rows.filter(({ state }) => state === 'tombstone');
  const newest = maxOf(present.map(dataTime));
  const deleted = maxOf(tombstones.map(({ timestamp }) => timestamp ?? ''));
  const isLive = newest !== '' && newest > deleted;
  const isExpired =
    isLive && present.some((row) => dataTime(row) === newest && hasExpired(row, nowS));
  const state = stateOf(clientStatus, isExpired, deleted !== '');
  const reasons: string[] = [];
  const ghost = ghostReason(clientStatus, isLive, isExpired);
  if (ghost !== undefined) reasons.push(ghost);
  const differences = differenceReasons(present, newest, deleted, isLive);
  reasons.push(...differences);
  const lacking = lackReasons(rows, isLive ? newest : '', deleted);
  reasons.push(...lacking);
  if (present.length === 0 && tombstones.length === 0) {
    const areAllHeard = rows.every(({ state: own }) => own !== 'unreachable');
    const none = areAllHeard
      ? 'No server has data or a tombstone for this object.'
      : 'No responding server has data or a tombstone for this object; others did not respond.';
    return { state, verdict: 'nothing', reasons: [none, ...reasons] };
  }
  if (ghost !== undefined) return { state, verdict: 'ghost', reasons };
  if (differences.length > 0) return { state, verdict: 'divergent', reasons };
  return { state, verdict: lacking.length > 0 ? 'under_replicated' : 'consistent', reasons };
}

function stateOf(status: number, isExpired: boolean, isDeleted: boolean): Judgement['state'] {
  if (status !== 404) return 'present';
  if (isExpired) return 'expired';
  return isDeleted ? 'deleted' : 'absent';
}

function ghostReason(status: number, isLive: boolean, isExpired: boolean): string | undefined {
  if (status !== 404 || !isLive) return undefined;
  return isExpired
    ? 'The object has expired: clients get 404, but its data is still on disk.'
    : 'Clients get 404, but servers hold data that is newer than any tombstone.';
}

function differenceReasons(
  present: readonly ReplicaRow[],
  newest: string,
  deleted: string,
  isLive: boolean,
): string[] {
  const reasons: string[] = [];
  const old = present.filter((row) => dataTime(row) < newest);
  if (old.length > 0) reasons.push(`Older data on ${placesOf(old)}.`);
  const current = present.filter((row) => dataTime(row) === newest);
  if (new Set(current.map(({ etag, bytes }) => `${etag} ${bytes}`)).size > 1) {
    reasons.push('Servers have different data with the same timestamp.');
  }
  const meta = maxOf(current.map(({ timestamp }) => timestamp ?? ''));
  const behind = current.filter(({ timestamp }) => (timestamp ?? '') < meta);
  if (behind.length > 0) reasons.push(`Older metadata on ${placesOf(behind)}.`);
  if (!isLive && deleted !== '' && present.length > 0) {
    reasons.push(`The object was deleted, but data is still on ${placesOf(present)}.`);
  }
  return reasons;
}

/** @param wanted - the time of the data that each primary should have; empty for a tombstone */
function lackReasons(rows: readonly ReplicaRow[], wanted: string, deleted: string): string[] {
  const primaries = rows.filter(({ role }) => role === 'primary');
  const reasons: string[] = [];
  const silent = primaries.filter(({ state }) => state === 'unreachable' || state === 'error');
  if (silent.length > 0)
    reasons.push(`No data from ${placesOf(silent)} (not responding or error).`);
  const away = primaries.filter(({ state }) => state === 'device_away');
  if (away.length > 0) reasons.push(`The device is unmounted on ${placesOf(away)}.`);
  if (wanted === '' && deleted === '') return reasons;
  const isThere = (row: ReplicaRow): boolean =>
    wanted === '' ? row.state === 'tombstone' : row.state === 'present' && dataTime(row) === wanted;
  const answered = primaries.filter((row) => !silent.includes(row) && !away.includes(row));
  const lacking = answered.filter((row) => !isThere(row) && row.state !== 'present');
  if (lacking.length > 0) {
    const places = placesOf(lacking);
    reasons.push(wanted === '' ? `No tombstone on ${places}.` : `No data on ${places}.`);
  }
  const fragments = answered.flatMap(({ fragment }) => (fragment === null ? [] : [fragment]));
  if (new Set(fragments).size < fragments.length)
    reasons.push('Several servers have the same fragment.');
  const handoffs = rows.filter((row) => row.role === 'handoff' && isThere(row));
  if (handoffs.length > 0 && lacking.length + silent.length + away.length > 0) {
    reasons.push(`Handoff replicas on ${placesOf(handoffs)}.`);
  }
  return reasons;
}

function dataTime({ data_timestamp: data, timestamp }: ReplicaRow): string {
  return data ?? timestamp ?? '';
}

function hasExpired({ delete_at_unix_s: at }: ReplicaRow, nowS: number): boolean {
  return at !== null && at <= nowS;
}

function placesOf(rows: readonly ReplicaRow[]): string {
  return rows.map(({ ip, device }) => `${ip}/${device}`).join(', ');
}

function maxOf(all: readonly string[]): string {
  return all.reduce((max, one) => (one > max ? one : max), '');
}

function text(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value.slice(0, 256).replaceAll('"', '') : null;
}

function numberOf(headers: IncomingHttpHeaders, name: string): number | null {
  const value = text(headers, name);
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
