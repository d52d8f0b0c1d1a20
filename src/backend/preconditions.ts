import type { ObjectRef } from './backend.js';

/** What a write depends on. */

/**
 * An object that says by being there that a write is still wanted; it fails with `GuardMissing`
 * otherwise. Without `Capabilities.atomicGuard` the store looks right before the write, when all
 * bytes are there, and removes right after it.
 */
export interface Guard {
  /** In the account of what is written. */
  readonly ref: ObjectRef;
  /** What the object must be, where that matters: unquoted. */
  readonly etag?: string | undefined;
  /** Whether the write removes it: of several that would, only one succeeds. */
  readonly consumed: boolean;
}

/**
 * Atomic with the write: the object must not exist, or must exist with this ETag and, where it is
 * given, this time of modification. The time tells a rewrite of the same bytes from what was there.
 */
export type WritePrecondition =
  { readonly absent: true } | { readonly etag: string; readonly lastModified?: number | undefined };

/**
 * Of deletions also: that the object is there, whatever it is or with this ETag. Of several such
 * deletions of one object one succeeds: see `Capabilities.exclusiveDelete`.
 */
export type DeletePrecondition =
  WritePrecondition | { readonly present: true; readonly etag?: string | undefined };
