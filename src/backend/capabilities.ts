/** Abilities of an implementation beyond the basics; the layers above ask here, never by name. */
export interface Capabilities {
  /** `{ absent: true }` preconditions are atomic across all gateways. */
  readonly atomicCreate: boolean;
  /** `{ etag }` preconditions are supported, and atomic. */
  readonly conditionalReplace: boolean;
  /** The same of those of deletions alone, with a time of modification. */
  readonly conditionalDelete: boolean;
  /** `{ present: true }` preconditions of deletions are supported, and atomic across all gateways. */
  readonly exclusiveDelete: boolean;
  /** Puts, links and deletions may say where they stand: see `WriteOrder`. */
  readonly orderedWrites: boolean;
  /** So may a put or a link with the precondition `{ absent: true }`. Default: false. */
  readonly orderedCreations?: boolean | undefined;
  /** A link may be fixed to its target as it is now: see `LinkInput.isFixed`. Default: false. */
  readonly fixedLinks?: boolean | undefined;
  /** A link may be put behind one that its writer has not seen: see `LinkInput.behind`. Default: false. */
  readonly linksBehind?: boolean | undefined;
  /** A put may leave out the size of its body. */
  readonly unsizedBodies: boolean;
  /** A `Guard` is looked at, and removed, in the same instant as the write happens. */
  readonly atomicGuard: boolean;
  /** An update can change what a listing shows of an object. */
  readonly listingUpdates: boolean;
  /** `updateBody` is supported. */
  readonly bodyUpdates: boolean;
  /**
   * The store takes the MD5 of each body anyway, and tells it as the ETag: a writer that needs it for
   * nothing else leaves it to the store.
   */
  readonly takesMd5: boolean;
  /**
   * System metadata is protected from every client of the store. If it is not, the store keeps
   * neither system metadata nor listing attributes: writes succeed without them, and a large object
   * has the ETag that the store itself computes and that the write returns.
   */
  readonly systemMetadata: boolean;
  /**
   * Objects that a link or a manifest of a client of the store leads to are read by the rights of
   * the requester behind the call (`CallContext.behalf`). False: they are refused to everybody, as
   * far as the store's answers tell of them. Default: true.
   */
  readonly hopRights?: boolean | undefined;
  /**
   * How long, in milliseconds, a process may go by what it has read of a container before; 0 where every
   * read is of now.
   */
  readonly containerStaleMs: number;
  /** Longest object name, in bytes of UTF-8. */
  readonly objectNameBytesMax: number;
  /** Most segments of one large object. */
  readonly segmentsMax: number;
}
