import type { ListedObject, ObjectHead, ObjectRef } from '../backend/backend.js';
import type { ColdLocation } from '../cold/cold-backend.js';
import type { VersionedKey } from '../s3/versions/names.js';
import type { Leftovers } from '../s3/versions/upkeep/leftovers.js';
import type { VersionEntry, VersionIndex } from '../s3/versions/version-entry.js';
import type { Place } from './pass-context.js';

/** Actions of a janitor in buckets that keep versions, done or only planned. */

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
  readonly key: VersionedKey;
  readonly actions: readonly ExpireVersionAction[];
  /** Chooses the entries that are still due, by the present index. */
  readonly choose: (index: VersionIndex) => readonly VersionEntry[];
  /** Whether a version still has the tags that decided. */
  readonly hasSameTags: (head: ObjectHead, entry: VersionEntry) => boolean;
}

/** Brings what stands at a key in step with its index. */
interface RepairLinkAction extends VersionTarget {
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
interface SweepIndexAction extends VersionTarget {
  readonly action: 'sweep_index';
  readonly index: ListedObject;
}

/** Deletes the empty archive of a bucket that is gone. The key is empty. */
interface SweepArchiveAction extends VersionTarget {
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

interface Target {
  readonly account: string;
  readonly bucket: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** Deletes an object that a rule's Expiration is due for. */
export interface ExpireAction extends Target {
  readonly action: 'expire';
  readonly ruleId: string;
  /** Unquoted, as it was when it was looked at. */
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  /** As they are stored, where tags decided. */
  readonly tags?: string | undefined;
}

/** Moves an object to another storage class: a cold one stamps it as due-cold. */
export interface TransitionAction extends Target {
  readonly action: 'transition';
  readonly ruleId: string;
  /** Unquoted, as it was when it was looked at. */
  readonly etag: string;
  readonly size: number;
  readonly storageClass: string;
  /** The S3 version id, in a bucket that keeps versions. */
  readonly version?: string | undefined;
  /** The place of that version, or of the link to it. */
  readonly ref?: ObjectRef | undefined;
}

/** Ends an upload that AbortIncompleteMultipartUpload is due for, or whose bucket is gone. */
interface AbortAction extends Target {
  readonly action: 'abort';
  /** Undefined when the bucket is gone. */
  readonly ruleId: string | undefined;
  readonly uploadId: string;
  /** The ETag of the marker. */
  readonly etag: string;
}

/** Deletes the parts of an upload that belong to no open upload and no object. */
interface SweepAction extends Target {
  readonly action: 'sweep';
  readonly uploadId: string;
  readonly parts: number;
  /** Bytes of all of them. */
  readonly size: number;
}

/** Copies a due-cold object into the cold backend, or lets the hot body of an archived one go. */
export interface ColdAction extends Target {
  readonly action: 'archive' | 'release';
  readonly storageClass: string;
  readonly size: number;
  /** The object itself: of a version, where it lies. */
  readonly ref: ObjectRef;
  readonly version: Place['version'];
}

/** Deletes a cold copy that no object has its bytes in any more. */
export interface DiscardAction extends Target {
  readonly action: 'discard';
  readonly version: Place['version'];
  readonly size: number;
  readonly location: ColdLocation;
}

/** Deletes what has expired by itself: Swift's X-Delete-At. */
export interface RemoveAction extends Target {
  readonly action: 'remove';
  /** Unquoted, as it was when it was looked at. */
  readonly etag: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly deleteAt: number;
}

export type JanitorAction =
  | ExpireAction
  | RemoveAction
  | TransitionAction
  | AbortAction
  | SweepAction
  | ColdAction
  | DiscardAction
  | VersionAction;

/**
 * `done`; `changed`: it has changed since it was read, and was left alone; `gone`: another client
 * deleted it; `locked`: Object Lock holds it; `unsupported`: it cannot be done with this object;
 * `failed`: the store could not, and the next pass tries again; `planned`: a dry run.
 */
export type ActionOutcome =
  'done' | 'changed' | 'gone' | 'locked' | 'unsupported' | 'failed' | 'planned';

/** One line of `ringway janitor`: JSON without a line end. @param error - why it failed */
export function renderAction(
  action: JanitorAction,
  outcome: ActionOutcome,
  error?: string,
): string {
  return JSON.stringify({
    action: action.action,
    outcome,
    account: action.account,
    bucket: action.bucket,
    key: action.key,
    version: 'version' in action ? action.version : undefined,
    rule_id: 'ruleId' in action ? action.ruleId : undefined,
    storage_class: 'storageClass' in action ? action.storageClass : undefined,
    upload_id: 'uploadId' in action ? action.uploadId : undefined,
    parts: 'parts' in action ? action.parts : undefined,
    fences: 'fences' in action ? action.fences : undefined,
    versions: 'versions' in action ? action.versions : undefined,
    size: 'size' in action ? action.size : undefined,
    delete_at: 'deleteAt' in action ? new Date(action.deleteAt).toISOString() : undefined,
    last_modified: new Date(action.lastModified).toISOString(),
    error,
  });
}
