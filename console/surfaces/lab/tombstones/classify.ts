import type { DiskFile } from './disk-names.js';

/** One folder of an object, on one device. */
export interface DiskCopy {
  readonly node: string;
  readonly device: string;
  readonly files: readonly (DiskFile & {
    /** When the name appeared on this disk, in milliseconds since 1970. */
    readonly ctimeMs: number;
    readonly birthMs: number;
  })[];
  /** When the folder was made. */
  readonly birthMs: number;
}

export type TombstoneClass =
  'normal' | 'phantom' | 'expired' | 'split' | 'handoff' | 'overdue' | 'gateway' | 'reconciler';

/** A deleted object, as its disks show it. */
export interface Exhibit {
  readonly hash: string;
  readonly policy_index: number;
  readonly part: number;
  /** The newest tombstone. */
  readonly ts: string;
  readonly age_s: number;
  readonly eligible_unix_s: number;
  readonly name: string | null;
  readonly name_source: 'xattr' | 'sidecar' | null;
  readonly classes: readonly { readonly class: TombstoneClass; readonly evidence: string }[];
  readonly copies: readonly {
    readonly node: string;
    readonly device: string;
    /** Null where the ring does not say. */
    readonly role: 'primary' | 'handoff' | null;
    readonly files: readonly string[];
    readonly ts: string | null;
    /** When this disk got its tombstone. */
    readonly ctime_unix_s: number | null;
    /** How much later than the deletion that was. */
    readonly lag_s: number | null;
  }[];
  /** Primaries whose disks were read, and have no folder of the object. */
  readonly lacking: readonly string[];
  /** The risk that the object comes back; null for nothing that is seen here. */
  readonly risk: string | null;
}

export interface ClassifyContext {
  readonly nowS: number;
  readonly reclaimAgeS: number;
  /** Devices of the partition that were read, as `node/device`; undefined where no ring says it. */
  readonly primaries: ReadonlySet<string> | undefined;
}

/**
 * Says what a deleted object's folders mean.
 * @returns undefined where no copy has a tombstone
 */
export function classify(
  place: { readonly hash: string; readonly policyIndex: number; readonly part: number },
  copies: readonly DiskCopy[],
  { nowS, reclaimAgeS, primaries }: ClassifyContext,
): Omit<Exhibit, 'name' | 'name_source'> | undefined {
  const tombstones = copies.flatMap((copy) => copy.files.filter(({ kind }) => kind === 'ts'));
  const newest = newestOf(tombstones);
  if (newest === undefined) return undefined;
  const ts = Number(newest.timestamp);
  const eligible = ts + reclaimAgeS;
  const seen = new Set(copies.map(nameOf));
  const lacking = [...(primaries ?? [])].filter((name) => !seen.has(name)).sort();
  const older = copies.filter(({ files }) => hasOlderData(files, keyOf(newest)));
  const newer = copies.some(({ files }) => dataKey(files) > keyOf(newest));
  const behind = copies.filter(
    ({ files }) => !files.some((file) => file.kind === 'ts' && keyOf(file) === keyOf(newest)),
  );
  const found: { class: TombstoneClass; evidence: string }[] = [];
  const say = (one: TombstoneClass, evidence: string): void => {
    found.push({ class: one, evidence });
  };
  if (newest.offset !== null) {
    const offset = `The timestamp has the offset _${newest.offset}`;
    // The gateway's have the last time of their millisecond (src/backend/swift/timestamps.ts). One of
    // a hundred of the reconciler's, which may have any time, looks the same.
    if (newest.timestamp.endsWith('99')) {
      say('gateway', `${offset}, a place among the writes of its millisecond (heuristic).`);
    } else say('reconciler', `${offset}.`);
  }
  const without = [...lacking, ...behind.filter((copy) => isPrimary(copy, primaries)).map(nameOf)];
  if (!newer && (without.length > 0 || older.length > 0)) {
    const missing = `Missing on ${without.join(', ')}`;
    const data = older.map(nameOf).join(', ');
    if (older.length === 0) say('split', `${missing}.`);
    else if (without.length === 0) say('split', `Older data on ${data}.`);
    else say('split', `${missing}; older data on ${data}.`);
  }
  const strays = copies.filter(
    (copy) =>
      primaries?.has(nameOf(copy)) === false && copy.files.some(({ kind }) => kind === 'ts'),
  );
  if (strays.length > 0) {
    say('handoff', `${strays.map(nameOf).join(', ')} is not a primary of the partition.`);
  }
  if (newest.offset === null && newest.timestamp.endsWith('.00000')) {
    say(
      'expired',
      'The timestamp is a whole second, because the object-expirer deletes at the X-Delete-At time.',
    );
  } else if (older.length === 0 && copies.every(isMadeByDeletion)) {
    say(
      'phantom',
      'Every object directory is newer than its tombstone: the deletion itself created it (heuristic).',
    );
  }
  if (eligible < nowS) {
    say('overdue', `Reclaimable for ${Math.round(nowS - eligible)} s, but still on disk.`);
  }
  if (found.length === 0) say('normal', 'No inconsistencies found.');
  return {
    hash: place.hash,
    policy_index: place.policyIndex,
    part: place.part,
    ts: newest.timestamp + (newest.offset === null ? '' : `_${newest.offset}`),
    age_s: Math.round(nowS - ts),
    eligible_unix_s: Math.round(eligible),
    classes: found,
    copies: copies.map((copy) => copyView(copy, primaries)),
    lacking,
    risk: riskOf(older, lacking, eligible < nowS),
  };
}

function riskOf(
  older: readonly DiskCopy[],
  lacking: readonly string[],
  isEligible: boolean,
): string | null {
  if (older.length > 0) {
    const where = older.map(nameOf).join(', ');
    return isEligible
      ? `Older data on ${where}, and the tombstones can already be reclaimed. Once they are reclaimed, replication copies the data back. Run the replicator on the device before it rejoins the cluster, or wipe the device.`
      : `Older data on ${where}. The replicator removes it as long as tombstones exist. If a device stays unmounted longer than reclaim_age, it brings the object back.`;
  }
  if (lacking.length === 0) return null;
  return `Nothing found on ${lacking.join(', ')}. If older data on an unmounted device returns within reclaim_age, replication removes it. If it returns later, the object comes back.`;
}

function copyView(
  copy: DiskCopy,
  primaries: ClassifyContext['primaries'],
): Exhibit['copies'][number] {
  const { node, device, files } = copy;
  const tombstones = files.filter(({ kind }) => kind === 'ts');
  const last = newestOf(tombstones);
  const isKnown = primaries !== undefined;
  return {
    node,
    device,
    role: !isKnown ? null : primaries.has(nameOf(copy)) ? 'primary' : 'handoff',
    files: files.map(({ name }) => name),
    ts: last?.timestamp ?? null,
    ctime_unix_s: last === undefined ? null : Math.round(last.ctimeMs / 1000),
    lag_s: last === undefined ? null : Math.round(last.ctimeMs / 1000 - Number(last.timestamp)),
  };
}

/** Swift makes the tombstone as a temporary file, and then the folder if it is not there. */
function isMadeByDeletion({ files, birthMs }: DiskCopy): boolean {
  const [only, ...others] = files;
  if (only?.kind !== 'ts' || others.length > 0) return false;
  return birthMs > 0 && only.birthMs > 0 && birthMs >= only.birthMs;
}

function hasOlderData(files: DiskCopy['files'], tombstone: string): boolean {
  const data = dataKey(files);
  return data !== '' && data < tombstone && !files.some((f) => f.kind === 'ts' && keyOf(f) > data);
}

function dataKey(files: DiskCopy['files']): string {
  return files
    .filter(({ kind }) => kind === 'data')
    .reduce((max, file) => (keyOf(file) > max ? keyOf(file) : max), '');
}

function newestOf<File extends DiskFile>(files: readonly File[]): File | undefined {
  let newest: File | undefined;
  for (const file of files) {
    if (newest === undefined || keyOf(file) > keyOf(newest)) newest = file;
  }
  return newest;
}

/** Compares as Swift's timestamps do. */
function keyOf({ timestamp, offset }: DiskFile): string {
  return `${timestamp}_${(offset ?? '').padStart(16, '0')}`;
}

function isPrimary(copy: DiskCopy, primaries: ClassifyContext['primaries']): boolean {
  return primaries?.has(nameOf(copy)) ?? false;
}

export function nameOf({ node, device }: Pick<DiskCopy, 'node' | 'device'>): string {
  return node === '' ? device : `${node}/${device}`;
}
