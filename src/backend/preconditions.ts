import type { ObjectRef } from './refs.js';

/** Conditions of a write. */

/**
 * An object whose existence means that a write is still wanted; without it the write fails with
 * `GuardMissing`. Without `Capabilities.atomicGuard` the store checks right before the write, when
 * all bytes have arrived, and removes the guard right after it.
 */
export interface Guard {
  /** The guard, in the account of the write. */
  readonly ref: ObjectRef;
  /** The ETag that the object must have, where that matters: unquoted. */
  readonly etag?: string | undefined;
  /** Whether the write removes it: of several that would, only one succeeds. */
  readonly consumed: boolean;
}

/**
 * A place among the writes of an object, whatever the order in which they arrive: right behind what
 * was written at a time, and of several behind the same time in the order of their ranks. A write
 * that finds something later is `stale`, and changes nothing: so an object that the writer has not
 * seen is not overwritten, and no slow writer puts back what a faster one has replaced. Two writes
 * of the same place have to be the same. Only with `Capabilities.orderedWrites`, and with a
 * precondition only where `Capabilities.orderedCreations` says so; whether a large object is replaced
 * is not looked at.
 */
export interface WriteOrder {
  /**
   * When that was written which this write follows, as `lastModified` tells it: milliseconds since
   * the epoch. It is also told as the time of what is written.
   */
  readonly since: number;
  /** From 1. */
  readonly rank: number;
}

/**
 * Atomic with the write: the object must not exist, or must exist with this ETag and, where it is
 * given, this time of modification. The time tells a rewrite of the same bytes from what was there.
 */
export type WritePrecondition =
  { readonly absent: true } | { readonly etag: string; readonly lastModified?: number | undefined };

/**
 * The precondition of a deletion: also that the object exists, with any ETag or this one. If
 * several such deletions of one object meet, one succeeds: see `Capabilities.exclusiveDelete`.
 */
export type DeletePrecondition =
  WritePrecondition | { readonly present: true; readonly etag?: string | undefined };
