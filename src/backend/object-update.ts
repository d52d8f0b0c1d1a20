import type { ByteSource } from '../lib/cancellation.js';
import type { Segment } from './large-object.js';
import type { Metadata, MetadataPatch } from './refs.js';

/** Changes of an object that leave its size, its ETag and its time of modification as they are. */
export interface ObjectUpdate {
  /** Replaces all user metadata when given. */
  readonly metadata?: Metadata | undefined;
  readonly contentType?: string | undefined;
  /** Replaces all representation headers when given. */
  readonly headers?: Metadata | undefined;
  readonly systemMetadata?: MetadataPatch | undefined;
  /**
   * Attributes that a listing shows with the entry; of a link, the link's own. `Unsupported`
   * without `Capabilities.listingUpdates`.
   */
  readonly listingAttributes?: MetadataPatch | undefined;
  /** When it expires, in milliseconds since the epoch; null: never. */
  readonly deleteAt?: number | null | undefined;
  /** An expired object is changed as if it had not expired. */
  readonly openExpired?: boolean | undefined;
}

/**
 * An update that also says where the bytes are. The bytes may be kept outside the store: then the
 * body is `absent`, and reading it fails with `BodyAbsent`; listings and `headObject` show the
 * object as before. The caller that brings the bytes back makes sure that they match the ETag.
 */
export interface BodyUpdate extends ObjectUpdate {
  readonly body: BodyInput;
}

/** A body of exactly the object's size. */
export type BodyInput =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bytes'; readonly source: Buffer | ByteSource }
  | { readonly kind: 'segments'; readonly segments: readonly Segment[] };

/**
 * The state that an update must find, in the same instant with `Capabilities.conditionalReplace`,
 * right before it otherwise. System metadata is part of it: updates of that change neither ETag nor
 * time.
 */
export interface UpdatePrecondition {
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** The values that names must have; `null`: the name must not be there. Others do not matter. */
  readonly systemMetadata?: MetadataPatch | undefined;
}

/** `precondition_failed`: nothing was changed. */
export interface UpdateOutcome {
  readonly outcome: 'updated' | 'precondition_failed';
}
