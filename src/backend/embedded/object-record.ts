import type {
  FollowedLink,
  LinkTarget,
  ListedObject,
  Metadata,
  ObjectHead,
  PutObjectInput,
} from '../backend.js';
import { ByteReader, ByteWriter, CommonText, corrupt } from './bytes.js';

/**
 * The index's record of an object. The fields that a listing shows come first, so that it reads no
 * further; the body is elsewhere.
 *
 *   offset  bytes
 *        0      1  layout (high nibble: 1, or 2 of an object that expires), where the body is (low)
 *        1      6  body id; 0 when the body is empty; of a large object that of its segment list
 *        7      6  last modified, ms
 *       13      6  size
 *       19      1  form of the ETag: 1 an MD5 in 16 bytes, 0 a text
 *                  ETag, content type, listing attributes
 *                  headers, metadata, system metadata
 *                  of a large object: how many segments
 *                  of a link: container and name of its target
 *       -6      6  of an object that expires, behind all the rest: when, ms
 */

/** A new place of the body leaves it as it is: older versions read such a record as `Corrupt`. */
const LAYOUT = 1;
const EXPIRING = 2;
const BODY_ID_AT = 1;
const LAST_MODIFIED_AT = 7;
const SIZE_AT = 13;

/**
 * `segments`: the body is that of other objects, named by a list in the table of small bodies.
 * `link`: there is none; the size is that of another object, and shown. `absent`: it is kept
 * outside the store, and its size is shown.
 */
export type BodyPlace = 'empty' | 'inline' | 'file' | 'segments' | 'link' | 'absent';
const PLACES: readonly BodyPlace[] = ['empty', 'inline', 'file', 'segments', 'link', 'absent'];
const LINK = PLACES.indexOf('link');
/** Bytes of the time at the end of a record that expires. */
const DELETE_AT_BYTES = 6;

/** The place of a body in the store. */
export interface BodyLocation {
  readonly place: BodyPlace;
  readonly bodyId: number;
}

/** The part of an object's record that a writer who replaces it has to know. */
export interface ObjectSummary extends BodyLocation {
  readonly lastModified: number;
  readonly size: number;
  readonly etag: string;
  readonly deleteAt: number | undefined;
}

export interface StoredObject extends BodyLocation {
  readonly head: ObjectHead;
  readonly attributes: Metadata;
  /** The target of a link; undefined for other objects. */
  readonly target?: LinkTarget;
}

/** An object that {@link decodeObject} puts together. */
type Writable<T> = { -readonly [K in keyof T]: T[K] };

export type RecordInput = Pick<PutObjectInput, 'headers' | 'metadata' | 'systemMetadata'> & {
  readonly size: number;
  readonly etag: string;
  readonly contentType: string;
  readonly attributes: Metadata | undefined;
  /** The number of segments of a large object; undefined for other objects. */
  readonly segmentCount?: number | undefined;
  /** The target of a link; undefined for other objects. */
  readonly target?: LinkTarget | undefined;
  readonly deleteAt?: number | undefined;
};

const writer = new ByteWriter();
const contentTypes = new CommonText();

/** A record whose body id and time are still to be set by {@link stampObject}. */
export function encodeObject(input: RecordInput, place: BodyPlace): Buffer {
  writer
    .begin()
    .uint8(((input.deleteAt === undefined ? LAYOUT : EXPIRING) << 4) | PLACES.indexOf(place))
    .uint48(0)
    .uint48(0)
    .uint48(input.size)
    .etag(input.etag)
    .text(input.contentType)
    .pairs(input.attributes)
    .pairs(input.headers)
    .pairs(input.metadata)
    .pairs(input.systemMetadata);
  if (place === 'segments') writer.varint(input.segmentCount ?? 0);
  if (place === 'link') writer.text(input.target?.container ?? '').text(input.target?.object ?? '');
  if (input.deleteAt !== undefined) writer.uint48(input.deleteAt);
  return writer.take();
}

/** Size and ETag as they stand in a record: what {@link isPlainWith} compares. */
export function encodeContent(size: number, etag: string): Buffer {
  return writer.begin().uint48(size).etag(etag).take();
}

/** Whether the body is the object's own, and not that of others or absent. */
export function isPlain(place: BodyPlace | undefined): boolean {
  return place !== 'segments' && place !== 'link' && place !== 'absent';
}

/** Whether a record is that of an ordinary object with this content; decodes nothing. */
export function isPlainWith(record: Buffer, content: Buffer): boolean {
  const end = SIZE_AT + content.length;
  if (record.length < end || !isPlain(PLACES[(record[0] ?? 0) & 0x0f])) return false;
  return record.compare(content, 0, content.length, SIZE_AT, end) === 0;
}

/** Sets what is known only inside the transaction. */
export function stampObject(record: Buffer, bodyId: number, lastModified: number): void {
  record.writeUIntBE(bodyId, BODY_ID_AT, 6);
  record.writeUIntBE(lastModified, LAST_MODIFIED_AT, 6);
}

/** When an object expires; undefined: never. Costs nothing for those. */
export function deleteAtOf(bytes: Buffer, length: number): number | undefined {
  if ((bytes[0] ?? 0) >> 4 !== EXPIRING) return undefined;
  return bytes.readUIntBE(length - DELETE_AT_BYTES, DELETE_AT_BYTES);
}

/** Whether an object is not there any more, though its record is. */
export function hasExpired(bytes: Buffer, length: number): boolean {
  const deleteAt = deleteAtOf(bytes, length);
  return deleteAt !== undefined && deleteAt <= Date.now();
}

/** A reader of the record up to the time of expiry. */
function readerOf(bytes: Buffer, length: number): ByteReader {
  const expires = (bytes[0] ?? 0) >> 4 === EXPIRING;
  return new ByteReader(bytes, expires ? length - DELETE_AT_BYTES : length);
}

/** @throws BackendError Corrupt */
export function decodeSummary(bytes: Buffer, length: number): ObjectSummary {
  return readSummary(readerOf(bytes, length), deleteAtOf(bytes, length));
}

/** A listing entry whose name is still to be set: it is in the key. */
export type UnnamedEntry = Writable<ListedObject>;

/** @throws BackendError Corrupt */
export function decodeListed(bytes: Buffer, length: number): UnnamedEntry {
  const reader = new ByteReader(bytes, length);
  readPlace(reader);
  reader.uint48(); // the body id
  const lastModified = reader.uint48();
  const size = reader.uint48();
  const etag = reader.etag();
  const contentType = reader.commonText(contentTypes);
  return { name: '', size, etag, lastModified, contentType, attributes: reader.pairs() };
}

/**
 * The same without the type, and into one and the same entry: for a page of which nothing is kept
 * but what is made of it.
 * @throws BackendError Corrupt, when it decodes
 */
export function visitedDecoder(): (
  bytes: Buffer,
  length: number,
) => Omit<UnnamedEntry, 'contentType'> {
  const entry: Omit<UnnamedEntry, 'contentType'> = {
    name: '',
    size: 0,
    etag: '',
    lastModified: 0,
    attributes: {},
  };
  return (bytes, length) => {
    const reader = new ByteReader(bytes, length);
    readPlace(reader);
    reader.uint48(); // the body id
    entry.lastModified = reader.uint48();
    entry.size = reader.uint48();
    entry.etag = reader.etag();
    reader.skipText();
    entry.attributes = reader.pairs();
    return entry;
  };
}

/** Whether a record is that of a link. */
export function isLink(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === LINK;
}

/**
 * The part of a link that a reader who goes on to the target needs. Every read of a versioned
 * object comes here, so the rest (type, attributes) is not decoded.
 * @throws BackendError Corrupt
 */
export function decodeLink(bytes: Buffer, length: number): FollowedLink {
  const reader = readerOf(bytes, length);
  const { etag, lastModified } = readSummary(reader, undefined);
  reader.skipText();
  reader.skipPairs(); // listing attributes
  reader.skipPairs(); // headers
  reader.skipPairs(); // metadata
  const systemMetadata = reader.pairs();
  const target = readTarget(reader);
  reader.end();
  return { target, etag, lastModified, systemMetadata };
}

/**
 * @param link through which the object was reached
 * @throws BackendError Corrupt
 */
export function decodeObject(bytes: Buffer, length: number, link?: FollowedLink): StoredObject {
  const reader = readerOf(bytes, length);
  const deleteAt = deleteAtOf(bytes, length);
  const { place, bodyId, size, etag, lastModified } = readSummary(reader, deleteAt);
  const contentType = reader.commonText(contentTypes);
  const attributes = reader.pairs();
  const headers = reader.pairs();
  const metadata = reader.pairs();
  const systemMetadata = reader.pairs();
  const head: Writable<ObjectHead> = {
    size,
    etag,
    lastModified,
    contentType,
    headers,
    metadata,
    systemMetadata,
  };
  if (link !== undefined) head.link = link;
  const object: Writable<StoredObject> = { place, bodyId, attributes, head };
  if (deleteAt !== undefined) head.deleteAt = deleteAt;
  if (place === 'absent') head.bodyAbsent = true;
  if (place === 'segments') head.segmentCount = reader.varint();
  if (place === 'link') object.target = readTarget(reader);
  reader.end();
  return object;
}

function readTarget(reader: ByteReader): LinkTarget {
  return { container: reader.text(), object: reader.text() };
}

function readSummary(reader: ByteReader, deleteAt: number | undefined): ObjectSummary {
  const place = readPlace(reader);
  const bodyId = reader.uint48();
  const lastModified = reader.uint48();
  const size = reader.uint48();
  return { place, bodyId, lastModified, size, etag: reader.etag(), deleteAt };
}

function readPlace(reader: ByteReader): BodyPlace {
  const first = reader.uint8();
  const place = PLACES[first & 0x0f];
  const layout = first >> 4;
  if ((layout !== LAYOUT && layout !== EXPIRING) || place === undefined)
    throw corrupt('it is not an object record');
  return place;
}
