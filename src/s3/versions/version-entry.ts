/** What is known of one version of a key without looking at the version itself. */
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
  /** Of a version made of parts: the upload they are from. */
  readonly uploadId?: string | undefined;
  /**
   * Of a version that was an ordinary object of the bucket before the key had an index: which one,
   * so that it is not taken for a newer write as long as it is still there.
   */
  readonly adopted?: { readonly etag: string; readonly lastModified: number } | undefined;
}

/** All versions of a key: which there are, in which order, and which is current. */
export interface VersionIndex {
  /** Grows by one with each commit; 0 of a key that has no index yet. */
  readonly generation: number;
  /** Of the commit that made this generation: unique. Empty at generation 0. */
  readonly commit: string;
  /** Newest first: the first is the current one. */
  readonly entries: readonly VersionEntry[];
}

/** What leads from one generation of an index to the next. */
export interface VersionChange {
  /** Go before all others, the newest first. */
  readonly add?: readonly VersionEntry[] | undefined;
  /** {@link VersionEntry.name}s. Those that are gone already are no error. */
  readonly remove?: readonly string[] | undefined;
  /**
   * {@link VersionEntry.name}s whose versions changed in a way that decisions depend on: nothing of
   * the index is different, but whoever decided on the generation before has to decide again.
   */
  readonly touch?: readonly string[] | undefined;
}
