import type { ByteRange, Guard, Metadata, PutObjectInput, WriteClass } from './backend.js';

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

/** A large object to be written; its size is the sum of its segments'. */
export interface ManifestInput extends Omit<PutObjectInput, 'size' | 'body' | 'seal'> {
  /** 1 to `Capabilities.segmentsMax`, in the order of the body. The same one may come twice. */
  readonly segments: readonly Segment[];
  /** Shown as the object's ETag; unquoted, at most 128 characters. */
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

/** Properties of a copy: a given field replaces the whole; without it, the source's is kept. */
export interface CopyInput {
  readonly contentType?: string | undefined;
  readonly headers?: Metadata | undefined;
  readonly metadata?: Metadata | undefined;
  readonly systemMetadata?: Metadata | undefined;
  readonly listingAttributes?: Metadata | undefined;
  /** Copies only a source with this ETag, so that what was checked is what is copied. */
  readonly sourceEtag?: string | undefined;
  /** Copies these bytes only; must lie inside the source. */
  readonly range?: ByteRange | undefined;
  readonly guard?: Guard | undefined;
  /** Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
  /** Copies an object whose body is absent as such another one, rather than failing. */
  readonly absentBody?: boolean | undefined;
  /** When the copy expires, in milliseconds since the epoch; null: never. */
  readonly deleteAt?: number | null | undefined;
}
