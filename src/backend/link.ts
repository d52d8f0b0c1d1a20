import type { WriteClass } from './call-context.js';
import type { Guard, WriteOrder } from './preconditions.js';
import type { Metadata } from './refs.js';

/**
 * Links, in Swift's model (its symlinks): an object without a body that stands for another object of
 * the same account, so that a reader of the one gets the other, in one call and without knowing.
 * Reading (`getObject`, `headObject`, `getSegments`, the source of `copyObject`) follows a link, and
 * says so in {@link ObjectHead.link}; writing, updating and deleting is of the link itself. A link
 * leads to an object, never to another link.
 *
 * Clients of the store write links as well, and in Swift these may lead to other links and to other
 * accounts. They are followed by the rights of the one that stands behind the call
 * (`CallContext.behalf`): see own-hops.ts.
 */

export interface LinkTarget {
  /** Undefined: that of the link. A store that keeps accounts apart has no others. */
  readonly account?: string;
  readonly container: string;
  readonly object: string;
}

export interface LinkInput {
  readonly target: LinkTarget;
  /** The size that a listing shows of the link: the target's, in bytes. */
  readonly size: number;
  /** The same of the ETag, unquoted; also what preconditions on the link compare. */
  readonly etag: string;
  /**
   * With `Capabilities.fixedLinks`, the link leads to the target only as long as that has the ETag
   * above, which is the MD5 of its body; to anything else it is a broken link.
   */
  readonly isFixed?: boolean | undefined;
  readonly contentType: string;
  readonly listingAttributes?: Metadata | undefined;
  /** The link's own, told by {@link FollowedLink.systemMetadata}. */
  readonly systemMetadata?: Metadata | undefined;
  /**
   * With `Capabilities.linksBehind`, the link takes place only where a link to the key's archive is
   * that says the generation before this one in its system metadata, and stands right behind that, by
   * this generation; `precondition_failed` otherwise, and where that one is older than a day.
   */
  readonly behind?: number | undefined;
  /** When the link expires, in milliseconds since the epoch. */
  readonly deleteAt?: number | undefined;
  readonly guard?: Guard | undefined;
  /** As that of `PutObjectInput`. */
  readonly order?: WriteOrder | undefined;
  /** Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/**
 * The link through which an object was reached. Without `Capabilities.systemMetadata` a store may
 * know only its target: ETag and time are then the target's.
 */
export interface FollowedLink {
  readonly target: LinkTarget;
  /** The ETag that the link was written with. */
  readonly etag: string;
  /** The time of the link, in milliseconds since the epoch. */
  readonly lastModified: number;
  readonly systemMetadata: Metadata;
}
