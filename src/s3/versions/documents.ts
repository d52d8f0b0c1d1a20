import { z } from 'zod';
import { isVersionId, NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../s3-error.js';
import type { Commit, VersionEntry, VersionIndex } from './version-entry.js';

/**
 * The documents that versions are kept in: JSON without white space, fields in the order below, left
 * out where they have nothing to say, so that the same index is the same bytes whoever writes it.
 *
 *     index.json       {"format":1,"generation":12,"commit":…,"recent":[…],"entries":[…]}
 *     index.g12.json   {"format":1,"generation":12,"commit":…,"parent":…,"change":{…}}
 *
 * What cannot be read in full is not read at all: SPEC.md 7.2, fails closed.
 */

const FORMAT = 1;

const name = z.string().refine((text) => text !== NULL_VERSION_ID && isVersionId(text));
const natural = z.int().nonnegative();
const metadataPatch = z.record(z.string(), z.string().nullable());
const touched = name.optional();

const entryDocument = z.strictObject({
  name,
  /** The S3 version id, where it is not the name. */
  id: z.literal(NULL_VERSION_ID).optional(),
  kind: z.literal('delete-marker').optional(),
  lastModified: natural,
  size: natural.optional(),
  etag: z.string().min(1).max(128).optional(),
  storageClass: z.string().optional(),
  checksumAlgorithm: z.string().optional(),
  uploadId: z.string().optional(),
  adopted: z.strictObject({ etag: z.string(), lastModified: natural }).optional(),
  locks: metadataPatch.optional(),
  touched,
});

type EntryDocument = z.infer<typeof entryDocument>;

const changeDocument = z.strictObject({
  add: z.array(entryDocument).optional(),
  place: z.array(entryDocument).optional(),
  remove: z.array(z.strictObject({ name, touched })).optional(),
  touch: z.array(z.strictObject({ name, touched, locks: metadataPatch })).optional(),
});

const indexDocument = z.strictObject({
  format: z.literal(FORMAT),
  generation: z.int().positive(),
  commit: name,
  recent: z.array(name),
  entries: z.array(entryDocument),
});

const commitDocument = z.strictObject({
  format: z.literal(FORMAT),
  generation: z.int().positive(),
  commit: name,
  parent: name.or(z.literal('')),
  change: changeDocument,
});

export function renderIndex({ generation, commit, recent, entries }: VersionIndex): Buffer {
  return render({ generation, commit, recent, entries: entries.map(writeEntry) });
}

/** @throws S3Error `InternalError` */
export function parseIndex(bytes: Buffer): VersionIndex {
  const { generation, commit, recent, entries } = parse(indexDocument, 'a version index', bytes);
  const index = { generation, commit, recent, entries: entries.map(readEntry) };
  requireUnique(index.entries.map((entry) => entry.name));
  requireUnique(index.entries.map((entry) => entry.id));
  return index;
}

export function renderCommit({ generation, id, parent, change }: Commit): Buffer {
  const { add, place, remove, touch } = change;
  const written = { add: add?.map(writeEntry), place: place?.map(writeEntry), remove, touch };
  return render({ generation, commit: id, parent, change: written });
}

/** @throws S3Error `InternalError` */
export function parseCommit(bytes: Buffer): Commit {
  const read = parse(commitDocument, 'the fence of a version index', bytes);
  const { generation, commit: id, parent, change } = read;
  const { add, place, ...rest } = change;
  return {
    generation,
    id,
    parent,
    change: { add: add?.map(readEntry), place: place?.map(readEntry), ...rest },
  };
}

function writeEntry({ id, kind, size, etag, ...entry }: VersionEntry): EntryDocument {
  return {
    name: entry.name,
    id: id === entry.name ? undefined : NULL_VERSION_ID,
    ...(kind === 'delete-marker' ? { kind } : { size, etag }),
    lastModified: entry.lastModified,
    storageClass: entry.storageClass,
    checksumAlgorithm: entry.checksumAlgorithm,
    uploadId: entry.uploadId,
    adopted: entry.adopted,
    locks: entry.locks,
    touched: entry.touched,
  };
}

function readEntry({ id, kind, size, etag, ...rest }: EntryDocument): VersionEntry {
  const identity = { ...rest, id: id ?? rest.name };
  if (kind === 'delete-marker') return { ...identity, kind, size: 0, etag: '' };
  if (size === undefined || etag === undefined) throw unreadable('a version without size or ETag');
  return { ...identity, kind: 'version', size, etag };
}

/** JSON leaves out what is undefined. */
function render(document: object): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...document }));
}

function parse<T>(schema: z.ZodType<T>, what: string, bytes: Buffer): T {
  try {
    return schema.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    throw unreadable(`${what} cannot be read`, error);
  }
}

function requireUnique(values: readonly string[]): void {
  if (new Set(values).size < values.length) throw unreadable('a version index has a version twice');
}

function unreadable(message: string, cause?: unknown): S3Error {
  return new S3Error('InternalError', undefined, {}, { cause: new Error(message, { cause }) });
}
