import { randomBytes } from 'node:crypto';
import type { MetadataPatch } from '../../backend/backend.js';

/** The facts about one version of a key that need no look at the version itself. */
export interface VersionEntry {
  /** The S3 version id: `null`, or 32 lower-case hexadecimal characters (SPEC.md 2.2). */
  readonly id: string;
  /**
   * Unique among all entries that the key ever had; of a version also the name of its object in the
   * archive, behind `<hex(key)>/`. The same as `id` unless that is `null`.
   */
  readonly name: string;
  readonly kind: 'version' | 'delete-marker';
  /** Milliseconds since the epoch: what S3 calls the version's LastModified. */
  readonly lastModified: number;
  /** Bytes, as the writer sent them; 0 of a delete marker. SPEC.md 2.4 */
  readonly size: number;
  /** Unquoted; empty of a delete marker. */
  readonly etag: string;
  /** Absent for STANDARD. */
  readonly storageClass?: string | undefined;
  readonly checksumAlgorithm?: string | undefined;
  /** The owner in its ACL; undefined if it belongs to the owners of the account. */
  readonly owner?: string | undefined;
  /** The upload from whose parts the version was made. */
  readonly uploadId?: string | undefined;
  /**
   * Which ordinary object of the bucket this entry came of, or took the place of: as long as that is
   * still there, it is not taken for a newer write that no index knows.
   */
  readonly adopted?: { readonly etag: string; readonly lastModified: number } | undefined;
  /**
   * Changes of the version's system metadata that were committed since it was written: its locks.
   * They win over what the object in the archive says, which follows.
   */
  readonly locks?: MetadataPatch | undefined;
  /** The commit that changed {@link locks} last. */
  readonly touched?: string | undefined;
}

/** All versions of a key: which there are, in which order, and which is current. */
export interface VersionIndex {
  /** Grows with each commit; 0 of a key that has no index yet. */
  readonly generation: number;
  /** The id of the commit that made this generation: unique. Empty at generation 0. */
  readonly commit: string;
  /** The commits before that, the latest first, at most {@link RECENT_COMMITS_MAX}. */
  readonly recent: readonly string[];
  /**
   * Names of entries that went, the latest first, at most {@link REMOVED_NAMES_MAX}: none of them
   * comes back, whatever a slow writer wants.
   */
  readonly removed: readonly string[];
  /** Newest first: the first is the current one. */
  readonly entries: readonly VersionEntry[];
}

/**
 * How many commits an index remembers, so that a writer who was overtaken finds out whether another
 * one has finished its commit. Each takes 35 bytes.
 */
export const RECENT_COMMITS_MAX = 32;

export const REMOVED_NAMES_MAX = 32;

/** A key that never had versions. */
export const NO_INDEX: VersionIndex = {
  generation: 0,
  commit: '',
  recent: [],
  removed: [],
  entries: [],
};

/** An entry as it was when something was decided about it. */
export interface SeenEntry {
  readonly name: string;
  /** {@link VersionEntry.touched} */
  readonly touched?: string | undefined;
}

/** The steps from one generation of an index to the next, in this order. */
export interface VersionChange {
  /** Go before all others, the newest first. The version `null` takes the place of any other. */
  readonly add?: readonly VersionEntry[] | undefined;
  /** Go where their time says, before or after the newest: they were written some other way. */
  readonly place?: readonly VersionEntry[] | undefined;
  /**
   * Entries to remove. One that is gone already is no error; one that was touched since then stays.
   */
  readonly remove?: readonly SeenEntry[] | undefined;
  /** Set the locks of versions, unless they were touched since then. */
  readonly touch?: readonly (SeenEntry & { readonly locks: MetadataPatch })[] | undefined;
  /** Say that versions are of another storage class; those that are gone already are no error. */
  readonly move?: readonly { readonly name: string; readonly storageClass: string }[] | undefined;
}

/** A change, and where it belongs: the content of the fence of a generation. */
export interface Commit {
  /** The generation that the commit leads to. */
  readonly generation: number;
  /** 32 lower-case hexadecimal characters. */
  readonly id: string;
  /** {@link VersionIndex.commit} of the generation that it leads from: on any other it is void. */
  readonly parent: string;
  readonly change: VersionChange;
}

const INVERSE = 2n ** 64n - 1n;
const TIME_DIGITS = 16;
const RANDOM_BYTES = 8;
const MICROSECONDS = 1000n;

/**
 * Version ids are 32 lower-case hexadecimal characters (SPEC.md 2.2):
 *
 *     2^64 - 1 - microseconds since the epoch (16) | random (16)
 *
 * so that a listing of the archive has the newest first. Within a process they descend strictly, also
 * when the clock is set back; between processes the random part keeps them apart. The ids order
 * nothing by themselves: the version index does.
 */
export class VersionIds {
  #last = 0n;

  /** @param now milliseconds since the epoch */
  constructor(private readonly now: () => number = Date.now) {}

  mint(): string {
    const time = BigInt(Math.floor(this.now())) * MICROSECONDS;
    this.#last = time > this.#last ? time : this.#last + 1n;
    return idAt(this.#last);
  }

  /** An id for a version written at that time, in milliseconds since the epoch. */
  mintFor(lastModified: number): string {
    return idAt(BigInt(Math.floor(lastModified)) * MICROSECONDS);
  }
}

function idAt(microseconds: bigint): string {
  const time = (INVERSE - microseconds).toString(16).padStart(TIME_DIGITS, '0');
  return time + randomBytes(RANDOM_BYTES).toString('hex');
}
