import { z } from 'zod';
import { isVersionId, NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../s3-error.js';
import type { Commit, VersionEntry, VersionIndex } from './version-entry.js';

/**
 * The documents that versions are kept in: JSON without white space, fields in the order below, left
 * out where they have nothing to say, so that the same index is the same bytes whoever writes it.
 *
 *     index.json       {"format":1,"generation":12,"commit":…,"recent":[…],"removed":[…],…}
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
  removed: z.array(name),
  entries: z.array(entryDocument),
});

const commitFields = {
  generation: z.int().positive(),
  commit: name,
  parent: name.or(z.literal('')),
};

const mergedDocument = z.strictObject({ ...commitFields, change: changeDocument });

const commitDocument = z.strictObject({
  format: z.literal(FORMAT),
  ...commitFields,
  change: changeDocument.extend({ merge: z.array(mergedDocument).optional() }),
});

type CommitFields = Omit<z.infer<typeof commitDocument>, 'format'>;

export function renderIndex({ entries, ...index }: VersionIndex): Buffer {
  const { generation, commit, recent, removed } = index;
  return render({ generation, commit, recent, removed, entries: entries.map(writeEntry) });
}

/** @throws S3Error `InternalError` */
export function parseIndex(bytes: Buffer): VersionIndex {
  const read = parse(indexDocument, 'a version index', bytes);
  const { generation, commit, recent, removed } = read;
  const index = { generation, commit, recent, removed, entries: read.entries.map(readEntry) };
  requireUnique(index.entries.map((entry) => entry.name));
  requireUnique(index.entries.map((entry) => entry.id));
  return index;
}

export function renderCommit(commit: Commit): Buffer {
  return render(writeCommit(commit));
}

/** @throws S3Error `InternalError` */
export function parseCommit(bytes: Buffer): Commit {
  return readCommit(parse(commitDocument, 'the fence of a version index', bytes));
}

function writeCommit({ generation, id, parent, change }: Commit): CommitFields {
  const { merge, add, place, remove, touch } = change;
  return {
    generation,
    commit: id,
    parent,
    change: {
      merge: merge?.map(writeCommit),
      add: add?.map(writeEntry),
      place: place?.map(writeEntry),
      remove: remove && [...remove],
      touch: touch && [...touch],
    },
  };
}

function readCommit({ generation, commit: id, parent, change }: CommitFields): Commit {
  const { merge, add, place, ...rest } = change;
  const entries = { add: add?.map(readEntry), place: place?.map(readEntry) };
  return { generation, id, parent, change: { merge: merge?.map(readCommit), ...entries, ...rest } };
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
