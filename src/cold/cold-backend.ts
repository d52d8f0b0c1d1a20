import type { ByteSource } from '../lib/cancellation.js';

/**
 * The cold tier's interface to a place that keeps whole copies of objects for long: SPEC.md 3.4.
 *
 * Every implementation passes the contract suite in `test/cold/`. Promises that the layers above
 * build on:
 * - A copy is there as a whole or not at all, whatever crashes.
 * - `put` resolves when the copy survives a crash of the machine.
 * - A location is written with one content only: putting it twice changes nothing.
 */
export interface ColdBackend {
  /**
   * @param signal - gives up; nothing is kept then
   * @throws ColdError Full, Unavailable; BodyMismatch unless the body has `copy.size` bytes; what
   *   the body throws, and the reason of the signal
   */
  put(copy: ColdCopy, body: Buffer | ByteSource, signal?: AbortSignal): Promise<void>;

  /** @returns undefined when there is no copy. @throws ColdError Unavailable, Corrupt */
  find(location: ColdLocation): Promise<ColdCopy | undefined>;

  /**
   * Like {@link find}, with the body, which the caller reads, or leaves with `return()`, at most
   * once.
   */
  get(location: ColdLocation): Promise<{ copy: ColdCopy; body: ByteSource } | undefined>;

  /** A copy that is not there counts as deleted. @throws ColdError Unavailable */
  delete(location: ColdLocation): Promise<void>;

  /** The copies of an account, in no order. @throws ColdError Unavailable */
  list(account: string): AsyncIterable<ListedCopy>;

  /**
   * Removes what puts have left behind that ended with their process.
   * @param before - milliseconds since the epoch: what was written to since is left alone
   * @throws ColdError Unavailable
   */
  cleanUp(before: number): Promise<void>;
}

/** The location of a copy. */
export interface ColdLocation {
  /** The placement of its storage class when it was written: see docs/cold-tier.md. */
  readonly policy: number;
  readonly account: string;
  /** 64 lower-case hexadecimal characters. */
  readonly id: string;
}

/** The object of a copy: enough to give it back, and to tell whether anybody still needs it. */
export interface ColdCopy extends ColdLocation {
  readonly container: string;
  readonly object: string;
  /** Bytes. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** The segments of a large object's body, in their order; undefined for other objects. */
  readonly segments?: readonly ColdSegment[] | undefined;
}

/** A segment, like the Backend's in src/backend/large-object.ts. */
export interface ColdSegment {
  readonly container: string;
  readonly object: string;
  readonly size: number;
  readonly etag: string;
}

export interface ListedCopy {
  readonly location: ColdLocation;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

export function locationOf({ policy, account, id }: ColdLocation): ColdLocation {
  return { policy, account, id };
}
