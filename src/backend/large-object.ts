import type { Metadata } from './refs.js';

/**
 * Large objects, in Swift's model (its static large objects): a manifest whose body is that of
 * other objects of the same account, its segments, one after the other. Segments stay objects of
 * their own. Deleting or overwriting a manifest leaves them; deleting or overwriting one of them
 * makes the large object unreadable from there on, never wrong.
 */

/**
 * Names system metadata of an object whose bytes the Swift API of a store reads from elsewhere (Swift's
 * dynamic large objects). Below that API it is an object without bytes. No client can set it, other
 * than by making such an object.
 */
export const DYNAMIC_MANIFEST = 'swift:dynamic-manifest';

/** One piece of a large object. */
export interface Segment {
  readonly container: string;
  readonly object: string;
  /** Bytes, 0 or more. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
}

/**
 * A large object that a write replaced or a delete removed, with enough to find the segments that
 * nothing refers to any more. It is given for large objects only. A store to which it costs a
 * request gives it only if the container has a companion for segments, `<container>+segments`.
 */
export interface RemovedManifest {
  readonly size: number;
  readonly etag: string;
  readonly systemMetadata: Metadata;
}
