import type { ListedObject, Metadata, ObjectHead, PutObjectInput } from '../backend.js';
import { ByteReader, ByteWriter, corrupt } from './bytes.js';

/**
 * What the index holds of an object. What a listing shows comes first, so that a listing reads no
 * further; the body is elsewhere.
 *
 *   offset  bytes
 *        0      1  layout version (high nibble), where the body is (low nibble)
 *        1      6  body id; 0 when the body is empty
 *        7      6  last modified, ms
 *       13      6  size
 *       19      1  form of the ETag: 1 an MD5 in 16 bytes, 0 a text
 *                  ETag, content type, listing attributes
 *                  headers, metadata, system metadata
 */

const LAYOUT = 1;
const BODY_ID_AT = 1;
const LAST_MODIFIED_AT = 7;
const TEXT_ETAG = 0;
const MD5_ETAG = 1;

export type BodyPlace = 'empty' | 'inline' | 'file';
const PLACES: readonly BodyPlace[] = ['empty', 'inline', 'file'];

/** Where to find a body. */
export interface BodyLocation {
  readonly place: BodyPlace;
  readonly bodyId: number;
}

/** What a writer has to know of the object it replaces. */
export interface ObjectSummary extends BodyLocation {
  readonly lastModified: number;
  readonly size: number;
  readonly etag: string;
}

export interface StoredObject extends BodyLocation {
  readonly head: ObjectHead;
  readonly attributes: Metadata;
}

export type RecordInput = Pick<PutObjectInput, 'headers' | 'metadata' | 'systemMetadata'> & {
  readonly size: number;
  readonly etag: string;
  readonly contentType: string;
  readonly attributes: Metadata | undefined;
};

const MD5_HEX = /^[0-9a-f]{32}$/;
const writer = new ByteWriter();

/** A record whose body id and time are still to be set by {@link stampObject}. */
export function encodeObject(input: RecordInput, place: BodyPlace): Buffer {
  writer
    .begin()
    .uint8((LAYOUT << 4) | PLACES.indexOf(place))
    .uint48(0)
    .uint48(0)
    .uint48(input.size);
  if (MD5_HEX.test(input.etag)) writer.uint8(MD5_ETAG).hex(input.etag);
  else writer.uint8(TEXT_ETAG).text(input.etag);
  return writer
    .text(input.contentType)
    .pairs(input.attributes)
    .pairs(input.headers)
    .pairs(input.metadata)
    .pairs(input.systemMetadata)
    .take();
}

/** Sets what is known only inside the transaction. */
export function stampObject(record: Buffer, bodyId: number, lastModified: number): void {
  record.writeUIntBE(bodyId, BODY_ID_AT, 6);
  record.writeUIntBE(lastModified, LAST_MODIFIED_AT, 6);
}

/** @throws BackendError Corrupt */
export function decodeSummary(bytes: Buffer, length: number): ObjectSummary {
  return readSummary(new ByteReader(bytes, length));
}

/** A listing entry whose name is still to be set: it is in the key. */
export type UnnamedEntry = { -readonly [K in keyof ListedObject]: ListedObject[K] };

/** @throws BackendError Corrupt */
export function decodeListed(bytes: Buffer, length: number): UnnamedEntry {
  const reader = new ByteReader(bytes, length);
  readPlace(reader);
  reader.uint48(); // the body id
  const lastModified = reader.uint48();
  const size = reader.uint48();
  const etag = readEtag(reader);
  const contentType = reader.text();
  return { name: '', size, etag, lastModified, contentType, attributes: reader.pairs() };
}

/** @throws BackendError Corrupt */
export function decodeObject(bytes: Buffer, length: number): StoredObject {
  const reader = new ByteReader(bytes, length);
  const { place, bodyId, size, etag, lastModified } = readSummary(reader);
  const contentType = reader.text();
  const attributes = reader.pairs();
  const headers = reader.pairs();
  const metadata = reader.pairs();
  const systemMetadata = reader.pairs();
  reader.end();
  return {
    place,
    bodyId,
    attributes,
    head: { size, etag, lastModified, contentType, headers, metadata, systemMetadata },
  };
}

function readSummary(reader: ByteReader): ObjectSummary {
  const place = readPlace(reader);
  const bodyId = reader.uint48();
  const lastModified = reader.uint48();
  const size = reader.uint48();
  return { place, bodyId, lastModified, size, etag: readEtag(reader) };
}

function readPlace(reader: ByteReader): BodyPlace {
  const first = reader.uint8();
  const place = PLACES[first & 0x0f];
  if (first >> 4 !== LAYOUT || place === undefined) throw corrupt('it is not an object record');
  return place;
}

function readEtag(reader: ByteReader): string {
  const form = reader.uint8();
  if (form === MD5_ETAG) return reader.hex(16);
  if (form === TEXT_ETAG) return reader.text();
  throw corrupt('its ETag has an unknown form');
}
