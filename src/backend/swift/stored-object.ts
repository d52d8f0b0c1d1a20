import type { Metadata, MetadataPatch, ObjectHead, ObjectUpdate } from '../backend.js';
import { BackendError } from '../errors.js';
import { patched } from '../metadata-patch.js';
import { parseJson } from '../../lib/parse-json.js';
import {
  OWN,
  readSystemValue,
  systemMetadataHeaders,
  deleteAtHeaders,
  readSystemMetadata,
  divideUserMetadata,
  type MetadataLimits,
  readUserMetadata,
} from './metadata-headers.js';
import { readTimestamp } from './timestamps.js';

const MD5_HEX = /^[0-9a-f]{32}$/;

/** Whether an ETag looks like an MD5: then it is taken for that of the body. */
export function isMd5(etag: string): boolean {
  return MD5_HEX.test(etag);
}

/** The MD5 of no bytes, which every link has. */
export const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

/**
 * Changes of an object since its PUT. Swift fixes an object's system metadata with the PUT; changes
 * lie in the transient kind, as one document, and are applied on reading. A POST may land on a
 * newer object than it was made for: so the document says which one that was, and means nothing for
 * any other. A POST by any other client takes the document away, and with it the changes.
 */
interface UpdateDocument {
  /** The data timestamp of the object, as the filter tells it. */
  readonly for: string;
  /** All changes since the PUT, in one. */
  readonly systemMetadata: MetadataPatch;
  /** Metadata in place of what overflowed at the PUT: see metadata-headers.ts. */
  readonly metadata: Metadata;
}

function updateDocumentHeaders(document: UpdateDocument): Record<string, string> {
  return systemMetadataHeaders('transient', { [OWN.update]: JSON.stringify(document) });
}

/** @returns undefined without one that was made for the object with this data timestamp */
export function readUpdateDocument(
  headers: ReadonlyMap<string, string>,
  dataTimestamp: string | undefined,
  kind: 'transient' | 'link_transient' = 'transient',
): UpdateDocument | undefined {
  const text = readSystemValue(headers, kind, OWN.update);
  if (text === undefined || text === '' || dataTimestamp === undefined) return undefined;
  const document = parseJson(text) as UpdateDocument | undefined;
  return document?.for === dataTimestamp ? document : undefined;
}

/** The headers of `ObjectHead.headers`; Swift stores and returns them under their own names. */
const REPRESENTATION = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const;

/** Headers that a POST takes away like all the rest, but that are no metadata of the interface. */
const KEPT_BY_POST = ['x-object-manifest', 'x-robots-tag'] as const;

export interface StoredObject {
  readonly head: ObjectHead;
  /** Whether it is a static large object of Swift. */
  readonly isManifest: boolean;
  /** Known with the filter only. */
  readonly dataTimestamp: string | undefined;
  /** Undefined when nothing was changed since the PUT. */
  readonly update: UpdateDocument | undefined;
  /** User metadata that lies in system metadata. */
  readonly overflow: Metadata;
  /** Headers that a POST has to send again beside those that `head` tells. */
  readonly kept: Readonly<Record<string, string>>;
}

/** @throws BackendError Corrupt */
export function readStoredObject(headers: ReadonlyMap<string, string>): StoredObject {
  const dataTimestamp = headers.get('x-gateway-data-timestamp');
  const timestamp = headers.get('x-timestamp');
  const update = readUpdateDocument(headers, dataTimestamp);
  const overflow = update?.metadata ?? overflowOfPut(headers, dataTimestamp, timestamp);
  const isManifest = headers.get('x-static-large-object')?.toLowerCase() === 'true';
  const head: ObjectHead = {
    size: readSize(headers),
    etag: readEtag(headers, isManifest),
    lastModified: readTimestamp(dataTimestamp ?? timestamp),
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    headers: pick(headers, REPRESENTATION),
    metadata: readUserMetadata(headers, 'object', overflow),
    systemMetadata: patched(readSystemMetadata(headers, 'object'), update?.systemMetadata),
    ...readSegmentCount(headers, isManifest),
    ...readDeleteAt(headers),
  };
  const kept = pick(headers, KEPT_BY_POST);
  return { head, isManifest, dataTimestamp, update, overflow: overflow ?? {}, kept };
}

/** Gone when another client's POST has replaced the metadata since. */
function overflowOfPut(
  headers: ReadonlyMap<string, string>,
  dataTimestamp: string | undefined,
  timestamp: string | undefined,
): Metadata | undefined {
  const text = readSystemValue(headers, 'object', OWN.metadata);
  if (text === undefined || dataTimestamp !== timestamp) return undefined;
  return parseJson(text) as Metadata | undefined;
}

function readSize(headers: ReadonlyMap<string, string>): number {
  const whole = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
  const size = Number(whole ?? headers.get('content-length') ?? NaN);
  if (!Number.isSafeInteger(size)) throw new BackendError('Corrupt', 'an object without a size');
  return size;
}

/** S3's where it was stored; else Swift's own. */
function readEtag(headers: ReadonlyMap<string, string>, isManifest: boolean): string {
  const stored = readSystemValue(headers, 'object', OWN.etag);
  if (stored !== undefined && stored !== '') return stored;
  const etag = unquoted(headers.get('etag') ?? '');
  return isManifest || headers.has('x-object-manifest') ? largeObjectEtag(etag) : etag;
}

/**
 * Swift's own of a large object, which is no MD5 of what is read: marked as s3api does, so that no
 * client compares it with one.
 */
export function largeObjectEtag(etag: string): string {
  return `${etag}-N`;
}

export function unquoted(etag: string): string {
  return etag.startsWith('"') && etag.endsWith('"') ? etag.slice(1, -1) : etag;
}

/**
 * Ours say it, also where all segments are empty and the object is an ordinary one to Swift; s3api's
 * end their ETag with it; of any others only the manifest tells, not its head.
 */
function readSegmentCount(
  headers: ReadonlyMap<string, string>,
  isManifest: boolean,
): { segmentCount?: number } {
  const own = readSystemValue(headers, 'object', OWN.segmentCount);
  if (own !== undefined && own !== '') return { segmentCount: Number(own) };
  if (!isManifest) return {};
  const ofEtag = /-(\d+)$/.exec(readSystemValue(headers, 'object', OWN.etag) ?? '')?.[1];
  return { segmentCount: Number(ofEtag ?? 1) };
}

function readDeleteAt(headers: ReadonlyMap<string, string>): { deleteAt?: number } {
  const seconds = headers.get('x-delete-at');
  return seconds === undefined ? {} : { deleteAt: Number(seconds) * 1000 };
}

function pick(headers: ReadonlyMap<string, string>, names: readonly string[]): Metadata {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** Properties of an object in a PUT; `etag` only where it is not the MD5 of the body. */
export interface Description {
  readonly contentType?: string | undefined;
  readonly headers?: Metadata | undefined;
  readonly metadata?: Metadata | undefined;
  readonly systemMetadata?: Metadata | undefined;
  readonly etag?: string | undefined;
  readonly segmentCount?: number | undefined;
}

/**
 * The headers of a PUT for a described object; listingHeaders() is apart. Without the filter there
 * is no system metadata among them, and the ETag is Swift's.
 * @throws BackendError Unsupported when there is more of it than Swift takes
 */
export function putHeaders(described: Description, limits: MetadataLimits): Record<string, string> {
  const { headers, overflow } = divideUserMetadata(described.metadata, limits);
  const plain = {
    ...(described.contentType !== undefined && { 'content-type': described.contentType }),
    ...described.headers,
    ...headers,
  };
  if (limits.filter === undefined) return withoutOverflow(plain, overflow);
  const own: Record<string, string> = {};
  if (described.etag !== undefined) own[OWN.etag] = described.etag;
  if (described.segmentCount !== undefined) own[OWN.segmentCount] = String(described.segmentCount);
  if (Object.keys(overflow).length > 0) own[OWN.metadata] = JSON.stringify(overflow);
  return withinLimits({
    ...plain,
    ...systemMetadataHeaders('object', described.systemMetadata),
    ...systemMetadataHeaders('object', own),
  });
}

/**
 * The headers of a POST that changes an object, whole: what they do not repeat is gone.
 * @param stored read with `newest`, and without following a link
 * @throws BackendError Unsupported when there is more of it than Swift takes
 */
export function postHeaders(
  stored: StoredObject,
  update: ObjectUpdate,
  limits: MetadataLimits,
): Record<string, string> {
  const { head, dataTimestamp } = stored;
  const { headers, overflow } = divideUserMetadata(update.metadata ?? head.metadata, limits);
  const plain = {
    ...(update.contentType !== undefined && { 'content-type': update.contentType }),
    ...stored.kept,
    ...(update.headers ?? head.headers),
    ...deleteAtHeaders(update.deleteAt === undefined ? head.deleteAt : update.deleteAt),
    ...headers,
  };
  if (dataTimestamp === undefined) return withoutOverflow(plain, overflow);
  const systemMetadata = { ...stored.update?.systemMetadata, ...update.systemMetadata };
  const isNeeded = [systemMetadata, overflow, stored.overflow].some(
    (each) => Object.keys(each).length > 0,
  );
  if (!isNeeded) return withinLimits(plain);
  const document = { for: dataTimestamp, systemMetadata, metadata: overflow };
  return withinLimits({ ...plain, ...updateDocumentHeaders(document) });
}

function withoutOverflow(
  headers: Record<string, string>,
  overflow: Metadata,
): Record<string, string> {
  const [name] = Object.keys(overflow);
  if (name === undefined) return withinLimits(headers);
  throw new BackendError('Unsupported', `Swift has no room for user metadata such as ${name}`);
}

/** Swift takes 64 KiB of headers and up to 180 of them in all; other headers need some of both. */
const HEADERS_BYTES_MAX = 60_000;
const HEADERS_MAX = 160;

export function withinLimits(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers);
  let bytes = 0;
  for (const [name, value] of entries) bytes += name.length + Buffer.byteLength(value) + 4;
  if (bytes <= HEADERS_BYTES_MAX && entries.length <= HEADERS_MAX) return headers;
  throw new BackendError(
    'Unsupported',
    `Swift takes ${HEADERS_BYTES_MAX} bytes and ${HEADERS_MAX} items of metadata at most, ` +
      `this is ${bytes} bytes and ${entries.length} items`,
  );
}
