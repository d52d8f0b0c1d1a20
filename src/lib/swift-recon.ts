/**
 * Answers of Swift's recon, read with care: every field may be missing, null, or an empty text
 * (swift/common/middleware/recon.py).
 */

/** A member of an object; undefined for what is no object, or has none of that name. */
export function memberOf(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  return (json as Record<string, unknown>)[name];
}

export function numberAt(json: unknown, name: string): number | undefined {
  const value = memberOf(json, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The last full pass of a replicator or reconstructor. */
export interface ReconPass {
  readonly passS: number | undefined;
  /** Its end; undefined before there was one. */
  readonly lastUnixS: number | undefined;
}

/**
 * `/recon/replication/<type>` and `/recon/reconstruction/object`: the time is in minutes for objects,
 * in seconds for databases (swift/obj/replicator.py).
 */
export function lastPass(json: unknown, isObject: boolean): ReconPass {
  const prefixes = isObject
    ? ['object_replication', 'object_reconstruction', 'replication']
    : ['replication'];
  const first = (what: string): number | undefined =>
    prefixes.map((prefix) => numberAt(json, `${prefix}_${what}`)).find((one) => one !== undefined);
  const [time, last] = [first('time'), first('last')];
  return {
    passS: time === undefined ? undefined : time * (isObject ? 60 : 1),
    // 0 is what a replicator that never ran has.
    lastUnixS: last === 0 ? undefined : last,
  };
}

/** `/recon/ringmd5`, by the file's name: `{"/etc/swift/object.ring.gz": MD5}`. */
export function ringDigests(json: unknown): ReadonlyMap<string, string | null> {
  if (typeof json !== 'object' || json === null) return new Map();
  return new Map(
    Object.entries(json).map(([file, md5]: [string, unknown]) => [
      file.slice(file.lastIndexOf('/') + 1),
      typeof md5 === 'string' ? md5 : null,
    ]),
  );
}
