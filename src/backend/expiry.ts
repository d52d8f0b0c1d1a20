import type { ObjectRef } from './refs.js';

/** A query for expired objects, for the process that removes them. */

export interface ExpiredQuery {
  /** At most this many, 1 to 10,000. */
  readonly limit: number;
  /** Goes on behind this one of an earlier page. */
  readonly after?: ExpiredObject | undefined;
}

export interface ExpiredObject {
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly deleteAt: number;
}
