import type { Tag } from '../tagging.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html */

/**
 * Which objects a rule is for: those that meet all of its predicates; all objects when it has
 * none. The two forms of writing `Prefix` are told apart so that a configuration reads back as sent.
 */
export interface LifecycleFilter {
  /** `prefix`: `<Prefix>` in the rule (version 1). `filter`: `<Filter>` (version 2). */
  readonly form: 'prefix' | 'filter';
  readonly prefix?: string | undefined;
  readonly tags: readonly Tag[];
  /** Bytes; objects of exactly this size are not meant. */
  readonly sizeGreaterThan?: number | undefined;
  /** Bytes; objects of exactly this size are not meant. */
  readonly sizeLessThan?: number | undefined;
  /** Whether the predicates stand in `<And>`. */
  readonly and: boolean;
}

/** Days after creation, or a midnight UTC in milliseconds since the epoch. */
export type LifecycleTime = { readonly days: number } | { readonly date: number };

export type LifecycleExpiration = LifecycleTime | { readonly expiredObjectDeleteMarker: boolean };

export interface LifecycleTransition {
  readonly when: LifecycleTime;
  readonly storageClass: string;
}

export interface NoncurrentVersionExpiration {
  readonly noncurrentDays: number;
  /** How many noncurrent versions stay whatever their age. */
  readonly newerNoncurrentVersions?: number | undefined;
}

export interface NoncurrentVersionTransition {
  readonly noncurrentDays: number;
  readonly newerNoncurrentVersions?: number | undefined;
  readonly storageClass: string;
}

export interface LifecycleRule {
  readonly id: string;
  readonly enabled: boolean;
  readonly filter: LifecycleFilter;
  readonly expiration?: LifecycleExpiration | undefined;
  readonly transitions: readonly LifecycleTransition[];
  readonly noncurrentVersionExpiration?: NoncurrentVersionExpiration | undefined;
  readonly noncurrentVersionTransitions: readonly NoncurrentVersionTransition[];
  /** `DaysAfterInitiation` of AbortIncompleteMultipartUpload. */
  readonly abortDaysAfterInitiation?: number | undefined;
}

export interface LifecycleConfiguration {
  /** 1 to {@link LIFECYCLE_RULES_MAX}; ids are unique. */
  readonly rules: readonly LifecycleRule[];
}

export const LIFECYCLE_RULES_MAX = 1000;
