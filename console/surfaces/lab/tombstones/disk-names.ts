/** A file in the folder of an object on a storage server's disk. */
export interface DiskFile {
  readonly name: string;
  readonly kind: 'ts' | 'data' | 'meta' | 'durable';
  /** Ten digits and five, as in the name. */
  readonly timestamp: string;
  /** The hexadecimal digits that the container reconciler and others add to a timestamp. */
  readonly offset: string | null;
  /** The number of the fragment, of an erasure-coded policy. */
  readonly fragment: number | null;
}

const TIME = String.raw`(\d{10}\.\d{5})(?:_([0-9a-f]{1,16}))?`;
const NAMES = [
  ['ts', new RegExp(`^${TIME}()\\.ts$`)],
  ['data', new RegExp(`^${TIME}(?:#(\\d{1,5})(?:#d)?)?\\.data$`)],
  ['meta', new RegExp(`^${TIME}()(?:[+-][0-9a-f]{1,16}(?:_[0-9a-f]{1,16})?)?\\.meta$`)],
  ['durable', new RegExp(`^${TIME}()\\.durable$`)],
] as const;

/** `make_on_disk_filename` of swift/obj/diskfile.py, backwards; undefined for any other name. */
export function parseDiskName(name: string): DiskFile | undefined {
  for (const [kind, pattern] of NAMES) {
    const [, timestamp, offset, fragment = ''] = pattern.exec(name) ?? [];
    if (timestamp === undefined) continue;
    return {
      name,
      kind,
      timestamp,
      offset: offset ?? null,
      fragment: fragment === '' ? null : Number(fragment),
    };
  }
  return undefined;
}

const POLICY_FOLDER = /^objects(?:-(\d{1,4}))?$/;

/** @returns undefined for a folder that holds no objects */
export function policyOfFolder(name: string): number | undefined {
  const match = POLICY_FOLDER.exec(name);
  if (match === null) return undefined;
  return match[1] === undefined ? 0 : Number(match[1]);
}

/** The folder of a policy's objects. */
export function folderOf(policy: number): string {
  return policy === 0 ? 'objects' : `objects-${policy}`;
}

export function isPartition(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32;
}

export function isSuffix(name: string): boolean {
  return /^[0-9a-f]{3}$/.test(name);
}

/** @param suffix - of the folder around it */
export function isHash(name: string, suffix: string): boolean {
  return /^[0-9a-f]{32}$/.test(name) && name.endsWith(suffix);
}
