import type { ListedObject, Metadata } from '../../../backend/backend.js';
import { isVersionId, NULL_VERSION_ID } from '../../rules/version-id.js';
import type { VersionEntry, VersionIndex } from '../version-entry.js';

/**
 * A small index, told whole by its own listing entry: most keys have a few versions, and a page of
 * them costs a listing then, not one read for each key. Written in the same instant as the index,
 * as one of its listing attributes, which are 256 bytes in all.
 *
 *     format   generation   then each entry, the newest first:
 *     1        6 bytes      flags  [class]  name  lastModified  [size  MD5  [parts]]
 *                           1       1       16    6              6     16    2        bytes
 *
 * in base64url. An index that does not fit, or has anything in it that has no place here, has no
 * summary and is read. Facts that only a writer needs are left out.
 */

export type SummaryEntry = Omit<VersionEntry, 'uploadId' | 'adopted' | 'locks' | 'touched'>;

export type IndexSummary = Pick<VersionIndex, 'generation'> & {
  readonly entries: readonly SummaryEntry[];
};

/** Names of the listing attributes. */
export const LISTING_ATTRIBUTES = {
  /** The generation: for a link that of the index it is in step with; for an index its own. */
  generation: 's3-generation',
  /** The number of entries of an index. */
  versions: 's3-versions',
  /** The number of delete markers of an index that does not fit, beside its generation. */
  deleteMarkers: 's3-delete-markers',
  /** The summary of an index that fits. */
  summary: 's3-index',
} as const;

/** Three versions, or two and two delete markers: with the other attribute well below 256. */
const SUMMARY_CHARACTERS_MAX = 224;
const FORMAT = 1;
const HEAD_BYTES = 7;
const NAME_BYTES = 16;
const MD5_BYTES = 16;
/** The bytes of a time or size: 2^48 bytes are 256 TiB. */
const INTEGER_BYTES = 6;
const INTEGER_MAX = 2 ** 48 - 1;
const PARTS_MAX = 0xffff;

const FLAG = { deleteMarker: 1, nullVersion: 2, parts: 4, storageClass: 8 } as const;
/** The checksum algorithm is in the upper half of the flags, 0 for none. */
const ALGORITHM_UNIT = 16;

/** Places are stored: append only. */
const ALGORITHMS: readonly string[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];
const STORAGE_CLASSES: readonly string[] = [
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'GLACIER_IR',
  'DEEP_ARCHIVE',
  'REDUCED_REDUNDANCY',
];

/** Every field of an entry: whether a summary tells it. */
const FIELDS: Readonly<Record<keyof VersionEntry, boolean>> = {
  id: true,
  name: true,
  kind: true,
  lastModified: true,
  size: true,
  etag: true,
  storageClass: true,
  checksumAlgorithm: true,
  // An entry with an owner has no summary.
  owner: true,
  uploadId: false,
  adopted: false,
  locks: false,
  touched: false,
};

const ETAG = /^([0-9a-f]{32})(?:-([1-9][0-9]{0,4}))?$/;

/** The listing entry of an index shows how many entries it has, and if there is room, which. */
export function indexListingAttributes(index: VersionIndex): Metadata {
  const versions = { [LISTING_ATTRIBUTES.versions]: String(index.entries.length) };
  const summary = encodeSummary(index);
  if (summary !== undefined) return { ...versions, [LISTING_ATTRIBUTES.summary]: summary };
  const markers = index.entries.filter(({ kind }) => kind === 'delete-marker').length;
  return {
    ...versions,
    [LISTING_ATTRIBUTES.deleteMarkers]: String(markers),
    [LISTING_ATTRIBUTES.generation]: String(index.generation),
  };
}

/** How many entries a listed index has; undefined when its listing entry does not say. */
export function listedVersions(index: ListedObject): number | undefined {
  return countOf(index, LISTING_ATTRIBUTES.versions);
}

/** The listed facts of an index without a summary; undefined where none are listed. */
export interface ListedOutline {
  readonly generation: number;
  readonly versions: number;
  readonly deleteMarkers: number;
}

export function listedOutline(index: ListedObject): ListedOutline | undefined {
  const versions = listedVersions(index);
  const deleteMarkers = countOf(index, LISTING_ATTRIBUTES.deleteMarkers);
  const generation = countOf(index, LISTING_ATTRIBUTES.generation);
  if (versions === undefined || deleteMarkers === undefined || generation === undefined) {
    return undefined;
  }
  return { generation, versions, deleteMarkers };
}

function countOf({ attributes }: ListedObject, name: string): number | undefined {
  const count = Number(attributes[name] ?? NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The summary of a listed index; undefined when it has none, or one that cannot be read. */
export function listedSummary({ attributes }: ListedObject): IndexSummary | undefined {
  const summary = attributes[LISTING_ATTRIBUTES.summary];
  return summary === undefined ? undefined : decodeSummary(summary);
}

function encodeSummary({ generation, entries }: VersionIndex): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT);
  head.writeUIntBE(generation, 1, INTEGER_BYTES);
  const pieces: Buffer[] = [head];
  let bytes = HEAD_BYTES;
  for (const entry of entries) {
    const encoded = encodeEntry(entry);
    if (encoded === undefined) return undefined;
    pieces.push(encoded);
    bytes += encoded.length;
    if (bytes > (SUMMARY_CHARACTERS_MAX * 3) / 4) return undefined;
  }
  return Buffer.concat(pieces).toString('base64url');
}

function encodeEntry(entry: VersionEntry): Buffer | undefined {
  const { id, name, kind, lastModified, size, etag, storageClass, checksumAlgorithm } = entry;
  if (!Object.keys(entry).every((field) => field in FIELDS)) return undefined;
  if (entry.owner !== undefined) return undefined;
  if (!isVersionId(name) || name === NULL_VERSION_ID) return undefined;
  if (id !== name && id !== NULL_VERSION_ID) return undefined;
  if (!isStorable(lastModified) || !isStorable(size)) return undefined;
  const algorithm = placeOf(checksumAlgorithm, ALGORITHMS);
  const storage = placeOf(storageClass, STORAGE_CLASSES);
  if (algorithm === -1 || storage === -1) return undefined;
  const [, md5 = '', parts] = ETAG.exec(etag) ?? [];
  const isMarker = kind === 'delete-marker';
  if (isMarker ? etag !== '' || size !== 0 : md5 === '') return undefined;
  if (Number(parts ?? 0) > PARTS_MAX) return undefined;

  const flags =
    (isMarker ? FLAG.deleteMarker : 0) |
    (id === NULL_VERSION_ID ? FLAG.nullVersion : 0) |
    (parts === undefined ? 0 : FLAG.parts) |
    (storage === 0 ? 0 : FLAG.storageClass) |
    (algorithm * ALGORITHM_UNIT);
  return Buffer.concat([
    Buffer.from(storage === 0 ? [flags] : [flags, storage]),
    Buffer.from(name, 'hex'),
    integer(lastModified, INTEGER_BYTES),
    ...(isMarker ? [] : [integer(size, INTEGER_BYTES), Buffer.from(md5, 'hex')]),
    ...(parts === undefined ? [] : [integer(Number(parts), 2)]),
  ]);
}

function isStorable(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= INTEGER_MAX;
}

/** The place from 1; 0 for a missing value, -1 for a value without a place. */
function placeOf(value: string | undefined, places: readonly string[]): number {
  if (value === undefined) return 0;
  const at = places.indexOf(value);
  return at === -1 ? -1 : at + 1;
}

function integer(value: number, bytes: number): Buffer {
  const encoded = Buffer.alloc(bytes);
  encoded.writeUIntBE(value, 0, bytes);
  return encoded;
}

function decodeSummary(summary: string): IndexSummary | undefined {
  const bytes = Buffer.from(summary, 'base64url');
  if (bytes.length < HEAD_BYTES || bytes.readUInt8() !== FORMAT) return undefined;
  const reader = new Reader(bytes, 1);
  try {
    const generation = reader.integer(INTEGER_BYTES);
    const entries: SummaryEntry[] = [];
    while (reader.at < bytes.length) entries.push(decodeEntry(reader));
    return { generation, entries };
  } catch (error) {
    // Cut short: the index itself is there to be read.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError when it ends early */
function decodeEntry(reader: Reader): SummaryEntry {
  const flags = reader.integer(1);
  const storage = flags & FLAG.storageClass ? reader.integer(1) : 0;
  const name = reader.hex(NAME_BYTES);
  const lastModified = reader.integer(INTEGER_BYTES);
  const isMarker = (flags & FLAG.deleteMarker) !== 0;
  const size = isMarker ? 0 : reader.integer(INTEGER_BYTES);
  const md5 = isMarker ? '' : reader.hex(MD5_BYTES);
  const etag = flags & FLAG.parts ? `${md5}-${reader.integer(2)}` : md5;
  const algorithm = Math.floor(flags / ALGORITHM_UNIT);
  return {
    id: flags & FLAG.nullVersion ? NULL_VERSION_ID : name,
    name,
    kind: isMarker ? 'delete-marker' : 'version',
    lastModified,
    size,
    etag,
    ...(storage === 0 ? {} : { storageClass: at(STORAGE_CLASSES, storage) }),
    ...(algorithm === 0 ? {} : { checksumAlgorithm: at(ALGORITHMS, algorithm) }),
  };
}

/** @throws RangeError for a place that a newer gateway has appended */
function at(places: readonly string[], place: number): string {
  const value = places[place - 1];
  if (value === undefined) throw new RangeError('unknown place');
  return value;
}

/** Reads on from a place in bytes. Its methods throw RangeError at the end. */
class Reader {
  constructor(
    private readonly bytes: Buffer,
    public at: number,
  ) {}

  integer(length: number): number {
    const value = this.bytes.readUIntBE(this.at, length);
    this.at += length;
    return value;
  }

  hex(length: number): string {
    const end = this.at + length;
    if (end > this.bytes.length) throw new RangeError('the summary ends early');
    const value = this.bytes.toString('hex', this.at, end);
    this.at = end;
    return value;
  }
}
