/** The input of lifecycle rules, and the actions that they ask for. */

export interface LifecycleObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly tags: ReadonlyMap<string, string>;
  readonly storageClass: string;
}

export interface NoncurrentObject extends LifecycleObject {
  /** When its successor was written, in milliseconds since the epoch. */
  readonly noncurrentSince: number;
  /** How many noncurrent versions of the key are newer than this one. */
  readonly newerNoncurrentVersions: number;
}

export interface DeleteMarker {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** Versions of the key behind it. */
  readonly noncurrentVersions: number;
}

export interface LifecycleUpload {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly initiatedAt: number;
}

/** When a rule takes effect: a midnight UTC, but for delete markers that go at once. */
export interface Scheduled {
  readonly ruleId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type LifecycleAction =
  | ({ readonly action: 'expire' } & Scheduled)
  | ({ readonly action: 'transition'; readonly storageClass: string } & Scheduled);
