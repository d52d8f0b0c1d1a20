import type { ListedObject } from '../backend/backend.js';
import type { VersionedKey } from '../s3/versions/names.js';
import type { Leftovers } from '../s3/versions/upkeep/leftovers.js';
import type { VersionEntry, VersionIndex } from '../s3/versions/version-entry.js';

/** What a janitor does in buckets that keep versions, or would do. */

interface VersionTarget extends VersionedKey {
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** Writes a delete marker in front of a current version that a rule's Expiration is due for. */
export interface ExpireCurrentAction extends VersionTarget {
  readonly action: 'expire_current';
  readonly ruleId: string;
  /** The S3 version id. */
  readonly version: string;
  /** Unquoted, as it was when it was looked at. */
  readonly etag: string;
  readonly size: number;
  /** While versioning is suspended: the marker takes the place of the version `null`. */
  readonly nullVersion: boolean;
}

/** Deletes a noncurrent version, or a delete marker with nothing behind it, for good. */
export interface ExpireVersionAction extends VersionTarget {
  readonly action: 'expire_noncurrent' | 'expire_marker';
  readonly ruleId: string;
  readonly version: string;
  readonly entry: VersionEntry;
  readonly size: number;
}

/** Versions of one key that go together. */
export interface VersionBatch {
  readonly of: VersionedKey;
  readonly actions: readonly ExpireVersionAction[];
  /** Those of them that are still due, by the index as it is. */
  readonly choose: (index: VersionIndex) => readonly VersionEntry[];
}

/** Brings what stands at a key in step with its index. */
export interface RepairLinkAction extends VersionTarget {
  readonly action: 'repair_link';
}

/** Deletes what commits left behind of a key in the archive. */
export interface SweepVersionsAction extends VersionTarget {
  readonly action: 'sweep_versions';
  readonly leftovers: Leftovers;
  /** Fences and records among them. */
  readonly fences: number;
  /** Objects that no index names, among them. */
  readonly versions: number;
  /** Bytes of all. */
  readonly size: number;
}

/** Deletes an index without entries. */
export interface SweepIndexAction extends VersionTarget {
  readonly action: 'sweep_index';
  readonly index: ListedObject;
}

/** Deletes the empty archive of a bucket that is gone. The key is empty. */
export interface SweepArchiveAction extends VersionTarget {
  readonly action: 'sweep_archive';
}

export type VersionAction =
  | ExpireCurrentAction
  | ExpireVersionAction
  | RepairLinkAction
  | SweepVersionsAction
  | SweepIndexAction
  | SweepArchiveAction;

const VERSION_ACTION_NAMES = [
  'expire_current',
  'expire_noncurrent',
  'expire_marker',
  'repair_link',
  'sweep_versions',
  'sweep_index',
  'sweep_archive',
] as const;

const NAMES: ReadonlySet<string> = new Set(VERSION_ACTION_NAMES);

export function isVersionAction(action: { readonly action: string }): action is VersionAction {
  return NAMES.has(action.action);
}
