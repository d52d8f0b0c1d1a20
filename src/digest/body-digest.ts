import type { Digests, WantedDigests } from './running-digests.js';

/** The digests of one body. Ends with `finish` or `abort`; after that it is not to be used. */
export interface BodyDigest {
  /**
   * Takes a chunk, which the caller may reuse or change as soon as this returns.
   * @returns a promise when too much is waiting to be hashed: the caller waits for it before it
   *   brings more, or memory grows
   * @throws DigestLaneError (also by the promise) when the thread that hashed this body has died
   */
  update(chunk: Buffer): void | Promise<void>;
  /** @throws DigestLaneError as `update` */
  finish(): Digests | Promise<Digests>;
  /** Lets go of everything; never throws, and may be called at any time. */
  abort(): void;
}

export interface DigestFactory {
  /** @param sizeHint the body's length in bytes, when it is known: decides where it is hashed */
  create(wanted: WantedDigests, sizeHint: number | undefined): BodyDigest;
}

/** A body could not be hashed through no fault of the client; the upload fails. */
export class DigestLaneError extends Error {
  override readonly name = 'DigestLaneError';
}
