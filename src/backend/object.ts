import type { ByteSource } from '../lib/cancellation.js';
import type { FollowedLink } from './link.js';
import type { Metadata } from './refs.js';

/** Objects as they are read. */

/** Everything known of an object but its body. */
export interface ObjectHead {
  readonly size: number;
  /** Unquoted. MD5 in lower-case hex unless the writer's seal said otherwise. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly contentType: string;
  /** cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly headers: Metadata;
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
  /** The number of segments of a large object; undefined for other objects. */
  readonly segmentCount?: number;
  /** Set for an object whose bytes are kept outside the store: see {@link BodyUpdate}. */
  readonly bodyAbsent?: true;
  /** The link that was read; then all other fields are of its target. */
  readonly link?: FollowedLink;
  /**
   * Set where the store keeps versions by itself: at the name is a link of its own to the newest of
   * them, which is what a write or a deletion replaces. See {@link ContainerHead.storeVersioning}.
   */
  readonly storeLink?: Pick<FollowedLink, 'etag' | 'lastModified'>;
  /**
   * The time of expiry; undefined for an object that does not expire: see
   * {@link PutObjectInput.deleteAt}.
   */
  readonly deleteAt?: number;
}

/** A range as in a Range header: `first-last`, `first-`, or the last `suffix` bytes. */
export type RangeSpec =
  { readonly first: number; readonly last?: number | undefined } | { readonly suffix: number };

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ObjectBody {
  /** Bytes that the source will give: the range's, or the object's size. */
  readonly length: number;
  /**
   * A whole small body, or a stream. Overwriting or deleting the object from now on does not affect
   * it. It is read at most once. It may hold a file or a connection, so it is read, or left with
   * `return()`, or cancelled.
   */
  readonly source: Buffer | ByteSource;
  /** Lets go of what the body holds without reading it. Harmless at any time, any number of times. */
  cancel(): void;
}

export interface GetObjectResult {
  readonly head: ObjectHead;
  /** The requested range, resolved; `unsatisfiable` has an empty body. */
  readonly range: ByteRange | 'unsatisfiable' | undefined;
  readonly body: ObjectBody;
}
