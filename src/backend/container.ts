import type { Metadata, MetadataPatch } from './refs.js';

/** Containers: facts, queries and changes. */

export interface ContainerInfo {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly objectCount: number;
  /**
   * Bytes of the bodies in it. The bytes of a large object count once, in the container of its
   * segments.
   */
  readonly bytesUsed: number;
}

/**
 * The users that the store's own API lets into a container, as Swift's `X-Container-Read` and
 * `X-Container-Write` say it: elements between commas, empty for the account's own users only.
 */
export interface ContainerAcl {
  readonly read: string;
  readonly write: string;
}

export interface ContainerHead extends ContainerInfo {
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
  readonly acl: ContainerAcl;
  /**
   * Whether the store keeps versions of the objects by itself, because a client of its own API has
   * asked for that (Swift: `X-Versions-Enabled`, `X-Versions-Location`, `X-History-Location`). Then
   * what is written, deleted and read there is not what the store is told to.
   */
  readonly storeVersioning?: boolean | undefined;
}

/** A container that is not there, for a question of rights: it lets in who needs no ACL. */
export function absentContainer(name: string): ContainerHead {
  const counts = { createdAt: 0, objectCount: 0, bytesUsed: 0 };
  return { name, ...counts, metadata: {}, systemMetadata: {}, acl: { read: '', write: '' } };
}

export interface ContainerInput {
  readonly metadata?: Metadata | undefined;
  readonly systemMetadata?: Metadata | undefined;
  /** Default: empty. */
  readonly acl?: ContainerAcl | undefined;
  /**
   * A container of the same account whose kind of storage this one is to have, in a store that has
   * several (Swift: its storage policy). Default, also when it is not there: that of new containers.
   */
  readonly placedLike?: string | undefined;
}

export interface ContainerUpdate {
  readonly metadata?: MetadataPatch | undefined;
  readonly systemMetadata?: MetadataPatch | undefined;
  /** Replaces both lists when given. */
  readonly acl?: ContainerAcl | undefined;
  /** Ends {@link ContainerHead.storeVersioning}; what the store has kept until then stays. */
  readonly storeVersioning?: false | undefined;
}

export interface ContainerQuery {
  readonly prefix?: string | undefined;
  /** Names strictly after this one, in byte order. */
  readonly marker?: string | undefined;
  /** At most this many, 1 to 10,000. */
  readonly limit: number;
}

export interface ContainerPage {
  readonly containers: readonly ContainerInfo[];
  /** True when more containers match behind the last one of this page. */
  readonly truncated: boolean;
}
