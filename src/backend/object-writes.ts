import type { ByteSource } from '../lib/cancellation.js';
import type { WriteClass } from './call-context.js';
import type { RemovedManifest, Segment } from './large-object.js';
import type { ByteRange } from './object.js';
import type { Guard, WriteOrder } from './preconditions.js';
import type { Metadata } from './refs.js';

/** Writes, copies and deletions of objects, and their outcomes. */

/** Known only when the body has been read: see {@link PutObjectInput.seal}. */
export interface ObjectSeal {
  /** Unquoted, at most 128 characters; without it the store takes the body's MD5. */
  readonly etag?: string | undefined;
  /** Added to the input's. */
  readonly systemMetadata?: Metadata | undefined;
  /** Added to the input's. */
  readonly listingAttributes?: Metadata | undefined;
}

export interface PutObjectInput {
  /**
   * Bytes of the body. A body of any other length fails with `BodyMismatch`. It may be undefined if
   * `Capabilities.unsizedBodies` allows that: then a stream is complete when it ends.
   */
  readonly size: number | undefined;
  readonly contentType: string;
  readonly headers?: Metadata | undefined;
  readonly metadata?: Metadata | undefined;
  readonly systemMetadata?: Metadata | undefined;
  /** Small things that a listing shows without looking at the object: 256 bytes in all. */
  readonly listingAttributes?: Metadata | undefined;
  /**
   * When the object expires (Swift's X-Delete-At), in milliseconds since the epoch. From then on
   * only calls with `ReadOptions.openExpired` find it, and a write treats it as missing; listings
   * may show it until it is removed, as Swift's do.
   */
  readonly deleteAt?: number | undefined;
  /** A whole small body, or a stream. When the stream throws, the put fails with that error. */
  readonly body: Buffer | ByteSource;
  /** Called once, after the last byte and before the commit; when it throws, nothing is stored. */
  readonly seal?: (() => ObjectSeal) | undefined;
  readonly guard?: Guard | undefined;
  readonly order?: WriteOrder | undefined;
  /** Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/** How an object is deleted. */
export interface DeleteOptions {
  readonly guard?: Guard | undefined;
  readonly order?: WriteOrder | undefined;
  /** An expired object is deleted as if it had not expired. */
  readonly openExpired?: boolean | undefined;
}

/**
 * `stale`: a newer write of the same name won, and this one changed nothing (Swift's 202).
 * `precondition_failed`: nothing was written.
 */
export type PutOutcome =
  | {
      readonly outcome: 'created';
      readonly etag: string;
      readonly lastModified: number;
      readonly replacedManifest?: RemovedManifest;
    }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'precondition_failed' };

export type DeleteOutcome =
  | { readonly outcome: 'deleted'; readonly removedManifest?: RemovedManifest }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'precondition_failed' };

/** `source_changed`: the source does not have the ETag that was asked for; nothing was written. */
export type CopyOutcome = PutOutcome | { readonly outcome: 'source_changed' };

/** A large object to be written; its size is the sum of its segments'. */
export interface ManifestInput extends Omit<PutObjectInput, 'size' | 'body' | 'seal'> {
  /** 1 to `Capabilities.segmentsMax`, in the order of the body. The same one may come twice. */
  readonly segments: readonly Segment[];
  /** Shown as the object's ETag; unquoted, at most 128 characters. */
  readonly etag: string;
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
