import type {
  Backend,
  CallContext,
  ListedObject,
  ObjectPage,
  ObjectRef,
} from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import type { ListingBackend } from '../pages/page-source.js';
import { readStoredChecksum, SYSTEM_METADATA } from '../object/attributes.js';
import type { UploadedPart } from '../rules/complete-rules.js';
import { IndexStore } from '../versions/index-store.js';
import { archiveContainer, hexKey, versionRef } from '../versions/names.js';
import { parsePartName, partsPrefix, segmentsContainer, type Upload } from './names.js';

/** A part of an upload as its listing entry tells it. */
export interface StoredPart extends UploadedPart {
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** Parts asked for at once; 10,000 of them are ten pages. */
const PAGE = 1000;

/**
 * All parts of an upload, at most 10,000, by their number. A store sorts names as texts (`10` before
 * `2`), so that all have to be read even for a page of them.
 */
export async function readParts(
  backend: ListingBackend,
  call: CallContext,
  upload: Upload,
): Promise<StoredPart[]> {
  const prefix = partsPrefix(upload);
  const parts: StoredPart[] = [];
  let marker: string | undefined;
  for (;;) {
    const page = await readPage(backend, call, upload, prefix, marker);
    for (const entry of page.entries) {
      // A rolled-up prefix belongs to a key that begins like this upload's parts.
      if (entry.kind === 'prefix') marker = entry.prefix;
      else {
        marker = entry.object.name;
        const partNumber = parsePartName(marker.slice(prefix.length));
        if (partNumber !== undefined) parts.push(storedPart(partNumber, entry.object));
      }
    }
    if (!page.truncated) break;
  }
  return parts.sort((a, b) => a.partNumber - b.partNumber);
}

async function readPage(
  backend: ListingBackend,
  call: CallContext,
  { account, bucket }: Upload,
  prefix: string,
  marker: string | undefined,
): Promise<ObjectPage> {
  try {
    const container = segmentsContainer(account, bucket);
    return await backend.listObjects(call, container, {
      prefix,
      delimiter: '/',
      marker,
      limit: PAGE,
    });
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchContainer') return NOTHING;
    throw error;
  }
}

const NOTHING: ObjectPage = { entries: [], truncated: false };

function storedPart(
  partNumber: number,
  { etag, size, lastModified, attributes }: ListedObject,
): StoredPart {
  const checksum = readStoredChecksum(attributes[SYSTEM_METADATA.checksum]);
  return { partNumber, etag, size, lastModified, checksum };
}

/**
 * The versions of the upload's key that are made of its parts: those that the key's index names, and
 * those that the archive lists. A listing may lag behind what was written; the stored index does not
 * for a version of parts (see PostponedIndexes), but does not name one whose writer is about to commit
 * it.
 * @throws S3Error `InternalError` for an index that cannot be read: its versions need their parts
 */
export async function versionsOf(
  backend: Backend,
  call: CallContext,
  upload: Upload,
): Promise<ObjectRef[]> {
  const listed = await listedVersionsOf(backend, call, upload);
  const { index } = await new IndexStore({ backend, indexBytesMax: 0 }).readIndex(call, upload);
  const indexed = index.entries
    .filter(({ uploadId }) => uploadId === upload.uploadId)
    .map(({ name }) => versionRef(upload, name).object);
  const container = archiveContainer(upload.account, upload.bucket);
  return [...new Set([...listed, ...indexed])].map((object) => ({ ...container, object }));
}

async function listedVersionsOf(
  backend: Backend,
  call: CallContext,
  { account, bucket, key, uploadId }: Upload,
): Promise<string[]> {
  const container = archiveContainer(account, bucket);
  const prefix = `${hexKey(key)}/`;
  const found: string[] = [];
  let marker: string | undefined;
  try {
    for (let more = true; more;) {
      const page = await backend.listObjects(call, container, { prefix, marker, limit: PAGE });
      for (const entry of page.entries) {
        if (entry.kind !== 'object') continue;
        const { name, attributes } = entry.object;
        if (attributes[SYSTEM_METADATA.uploadId] === uploadId) found.push(name);
        marker = name;
      }
      more = page.truncated;
    }
  } catch (error) {
    // A bucket without versions has no archive.
    if (!(error instanceof BackendError && error.code === 'NoSuchContainer')) throw error;
  }
  return found;
}
