import type { Cancellation } from '../lib/cancellation.js';
import type { ContainerHead } from './container.js';

/**
 * A small plain value that accompanies every call of one request; it is handed on and not copied.
 * The arguments of a call say how that call reads or writes.
 */
export interface CallContext {
  /** The S3 request id; Swift logs it (`X-Trans-Id-Extra`). At most 32 characters matter. */
  readonly requestId: string;
  /** Says when the caller gives up. Undefined: the call is always carried out. */
  readonly cancellation?: Cancellation | undefined;
  /** Called by `watchedBackend` when the caller waits for the store. */
  readonly watch?: CallWatch | undefined;
  /** The call ends what others have begun, and is worth repeating: see `PersistentBackend`. */
  readonly finishing?: boolean | undefined;
  /**
   * The requester that the call is carried out for. Without one only what is Ringway's own is
   * followed: so it is for the janitor, for repairs, lifecycle rules and the cold tier.
   */
  readonly behalf?: Behalf | undefined;
}

/** The requester of a call, by whose rights a store follows what other clients have written. */
export interface Behalf {
  /**
   * Whether the requester itself may do this in a container of the account that the call names (for
   * stores that decide themselves).
   */
  allows(container: ContainerHead, access: 'read objects' | 'list'): boolean;
  /**
   * The requester's rights count where the store follows what is Ringway's own, too: a client of
   * the store's own API has no others. Default: false.
   */
  readonly countsAtOwnHops?: boolean | undefined;
  /** Value of `X-Gateway-For`: percent-encoded JSON, as the filter in Swift's proxies reads it. */
  readonly header: string;
}

/** Both in pairs, around each call; calls may overlap. */
export interface CallWatch {
  waits(): void;
  goesOn(): void;
}

/** How a container or an object is read. */
export interface ReadOptions {
  /** All replicas are asked, and the newest answer counts; it means nothing where there is one copy. */
  readonly newest?: boolean | undefined;
  /**
   * An expired object is read as if it had not expired: to save it, or, in a store with
   * `Backend.listExpired`, to remove it. Swift can do it since its release 2.35.
   */
  readonly openExpired?: boolean | undefined;
  /**
   * `headObject` of a link tells of the link itself, whether its target is there or not: size,
   * ETag, time and system metadata are the link's own, and so is `ObjectHead.link`.
   */
  readonly linkItself?: boolean | undefined;
}

/**
 * The purpose of a write. A `deletion` is a part of deleting something, or ends work that has
 * begun: it may use the room that the store keeps so that a full one can be emptied, and no quota
 * refuses it. A `marker` hides an object and frees nothing: no quota refuses it, but it needs room.
 */
export type WriteClass = 'ordinary' | 'marker' | 'deletion';

/**
 * Gives up with the caller.
 * @throws the reason of the cancellation's signal, when the caller has given up
 */
export function throwIfAborted(context: CallContext | undefined): void {
  const cancellation = context?.cancellation;
  if (cancellation?.aborted === true) cancellation.signal.throwIfAborted();
}
