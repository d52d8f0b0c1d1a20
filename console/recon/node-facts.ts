import { lastPass, memberOf, numberAt, ringDigests } from '../../src/lib/swift-recon.js';
import type { RingFile, ServerType } from './ring-devices.js';

/** `/recon/async`: written by swift-recon-cron alone; null before. */
export function asyncPending(json: unknown) {
  return {
    count: numberAt(json, 'async_pending'),
    lastUnixS: numberAt(json, 'async_pending_last'),
  };
}

/** `/recon/quarantined`, by kind; those of policies are within `objects`. */
export function quarantined(json: unknown): ReadonlyMap<string, number> {
  const kinds = ['accounts', 'containers', 'objects'].flatMap((kind) => {
    const count = numberAt(json, kind);
    return count === undefined ? [] : [[kind, count] as const];
  });
  return new Map(kinds);
}

/** `/recon/replication/<type>` */
export function replication(type: ServerType, json: unknown) {
  const isObject = type === 'object';
  const ran = lastPass(json, isObject);
  return isObject ? { ...ran, pushedShare: pushedShare(json) } : ran;
}

/** Suffixes that a pass has pushed, of those that it has compared; `replication_stats`. */
function pushedShare(json: unknown): number | undefined {
  const stats = memberOf(json, 'replication_stats');
  const [compared, pushed] = [numberAt(stats, 'suffix_count'), numberAt(stats, 'suffix_sync')];
  if (compared === undefined || pushed === undefined || compared <= 0) return undefined;
  return Math.min(1, pushed / compared);
}

export interface DiskFacts {
  readonly device: string;
  readonly mounted: boolean | null;
  readonly size_bytes: number | null;
  readonly used_bytes: number | null;
}

const DISKS_MAX = 1000;

/** `/recon/diskusage`: sizes are empty texts where nothing is mounted. */
export function disks(json: unknown): DiskFacts[] {
  if (!Array.isArray(json)) return [];
  return json.slice(0, DISKS_MAX).flatMap((entry: unknown) => {
    const device = memberOf(entry, 'device');
    if (typeof device !== 'string') return [];
    const mounted = memberOf(entry, 'mounted');
    const size = numberAt(entry, 'size');
    const used = numberAt(entry, 'used');
    return [
      {
        device,
        mounted: typeof mounted === 'boolean' ? mounted : null,
        size_bytes: size ?? null,
        used_bytes: used ?? null,
      },
    ];
  });
}

/** `/recon/unmounted`: a list of those that are not. */
export function unmounted(json: unknown): number | undefined {
  return Array.isArray(json) ? json.length : undefined;
}

/**
 * `/recon/ringmd5`, by path.
 * @returns how many rings the node has in another version than the console; undefined when they
 * have none in common
 */
export function ringMismatches(json: unknown, rings: readonly RingFile[]): number | undefined {
  const named = ringDigests(json);
  const common = rings.filter(({ name }) => typeof named.get(name) === 'string');
  if (common.length === 0) return undefined;
  return common.filter(({ name, md5 }) => named.get(name) !== md5).length;
}

/** `/recon/expirer/object` has no time: only that it changes says that the expirer lives. */
export function expirerState(json: unknown): string | undefined {
  const pass = numberAt(json, 'object_expiration_pass');
  return pass === undefined ? undefined : `${pass} ${numberAt(json, 'expired_last_pass') ?? ''}`;
}
