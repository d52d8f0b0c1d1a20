import { S3Error } from '../errors.js';
import { isVersionId, NULL_VERSION_ID } from '../rules/version-id.js';
import type {
  Commit,
  SeenEntry,
  VersionChange,
  VersionEntry,
  VersionIndex,
} from './version-entry.js';

/**
 * Readers of parsed JSON, each strict: what is not exactly as it should be throws.
 *
 * They are written by hand, and not with a schema: an index is read with each write of its key, on
 * the event loop, and has up to thousands of entries. For 1,000 entries zod took 4.7 ms in addition
 * to `JSON.parse`; this takes 0.4 ms.
 */

type Reader<T> = (value: unknown) => T;

/** The fields of an object of which no other is known. Values are not looked at. */
type Fields<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

/**
 * @param names - all that an object may have
 * @returns a reader of such objects
 */
function fieldsOf<Name extends string>(...names: readonly Name[]): Reader<Fields<Name>> {
  const known: ReadonlySet<string> = new Set(names);
  return (value) => {
    const fields = readObject(value);
    // An object of JSON has no others; of those it has, none passes unseen.
    for (const name in fields) if (!known.has(name)) throw unexpected(`a field ${name}`);
    return fields as Fields<Name>;
  };
}

function readList<T>(value: unknown, read: Reader<T>): T[] {
  if (!Array.isArray(value)) throw unexpected('no list');
  return value.map((item: unknown) => read(item));
}

/** JSON has no `undefined`: a field that is there has a value. */
function readOptional<T>(value: unknown, read: Reader<T>): T | undefined {
  return value === undefined ? undefined : read(value);
}

function readOptionalList<T>(value: unknown, read: Reader<T>): T[] | undefined {
  return value === undefined ? undefined : readList(value, read);
}

function readText(value: unknown): string {
  if (typeof value !== 'string') throw unexpected('no text');
  return value;
}

/** The name of an entry or of a commit: 32 hexadecimal characters. */
function readName(value: unknown): string {
  const text = readText(value);
  if (text === NULL_VERSION_ID || !isVersionId(text)) throw unexpected('no name');
  return text;
}

function readNatural(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw unexpected('no natural number');
  return value as number;
}

function readPositive(value: unknown): number {
  const number = readNatural(value);
  if (number === 0) throw unexpected('0');
  return number;
}

function readExactly<T extends string | number>(value: unknown, expected: T): T {
  if (value !== expected) throw unexpected(`not ${expected}`);
  return expected;
}

/** Any names, each with a text or null. */
function readPatch(value: unknown): Readonly<Record<string, string | null>> {
  const patch = readObject(value);
  for (const text of Object.values(patch)) if (text !== null) readText(text);
  return patch as Readonly<Record<string, string | null>>;
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected('no object');
  }
  return value as Readonly<Record<string, unknown>>;
}

function unexpected(what: string): Error {
  return new Error(`there is ${what} where it should not be`);
}

const FORMAT = 1;
const ETAG_CHARACTERS_MAX = 128;

/**
 * The documents that versions are kept in: JSON without white space, fields in the order below,
 * left out when they are empty, so that every writer gives the same index the same bytes.
 *
 *     index.json       {"format":1,"generation":12,"commit":…,"recent":[…],"removed":[…],…}
 *     index.g12.json   {"format":1,"generation":12,"commit":…,"parent":…,"change":{…}}
 *
 * A document that cannot be read in full is refused: SPEC.md 7.2, fails closed.
 */
export function renderIndex({ entries, ...index }: VersionIndex): Buffer {
  const { generation, commit, recent, removed } = index;
  return render({ generation, commit, recent, removed, entries: entries.map(writeEntry) });
}

/** @throws S3Error `InternalError` */
export function parseIndex(bytes: Buffer): VersionIndex {
  return parse('a version index', bytes, readIndex);
}

const indexFields = fieldsOf('format', 'generation', 'commit', 'recent', 'removed', 'entries');

function readIndex(document: unknown): VersionIndex {
  const { format, generation, commit, recent, removed, entries } = indexFields(document);
  readExactly(format, FORMAT);
  const index: VersionIndex = {
    generation: readPositive(generation),
    commit: readName(commit),
    recent: readList(recent, readName),
    removed: readList(removed, readName),
    entries: readList(entries, readEntry),
  };
  requireUnique(index.entries.map((entry) => entry.name));
  requireUnique(index.entries.map((entry) => entry.id));
  return index;
}

export function renderCommit({ generation, id, parent, change }: Commit): Buffer {
  const { add, place, remove, touch, move } = change;
  return render({
    generation,
    commit: id,
    parent,
    change: { add: add?.map(writeEntry), place: place?.map(writeEntry), remove, touch, move },
  });
}

/** @throws S3Error `InternalError` */
export function parseCommit(bytes: Buffer): Commit {
  return parse('the fence of a version index', bytes, readFence);
}

const fenceFields = fieldsOf('format', 'generation', 'commit', 'parent', 'change');
const changeFields = fieldsOf('add', 'place', 'remove', 'touch', 'move');

function readFence(document: unknown): Commit {
  const { format, generation, commit, parent, change } = fenceFields(document);
  readExactly(format, FORMAT);
  return {
    generation: readPositive(generation),
    id: readName(commit),
    parent: parent === '' ? parent : readName(parent),
    change: readChange(change),
  };
}

function readChange(value: unknown): VersionChange {
  const fields = changeFields(value);
  return {
    add: readOptionalList(fields.add, readEntry),
    place: readOptionalList(fields.place, readEntry),
    remove: readOptionalList(fields.remove, readSeen),
    touch: readOptionalList(fields.touch, readTouch),
    move: readOptionalList(fields.move, readMove),
  };
}

const seenFields = fieldsOf('name', 'touched');
const touchFields = fieldsOf('name', 'touched', 'locks');
const moveFields = fieldsOf('name', 'storageClass');

function readSeen(document: unknown): SeenEntry {
  const { name, touched } = seenFields(document);
  return { name: readName(name), touched: readOptional(touched, readName) };
}

function readTouch(document: unknown): NonNullable<VersionChange['touch']>[number] {
  const { locks, ...seen } = touchFields(document);
  return { ...readSeen(seen), locks: readPatch(locks) };
}

function readMove(document: unknown): NonNullable<VersionChange['move']>[number] {
  const { name, storageClass } = moveFields(document);
  return { name: readName(name), storageClass: readText(storageClass) };
}

function writeEntry({ id, kind, size, etag, ...entry }: VersionEntry): object {
  return {
    name: entry.name,
    /** The S3 version id, where it is not the name. */
    id: id === entry.name ? undefined : NULL_VERSION_ID,
    ...(kind === 'delete-marker' ? { kind } : { size, etag }),
    lastModified: entry.lastModified,
    storageClass: entry.storageClass,
    checksumAlgorithm: entry.checksumAlgorithm,
    owner: entry.owner,
    uploadId: entry.uploadId,
    adopted: entry.adopted,
    locks: entry.locks,
    touched: entry.touched,
  };
}

const entryFields = fieldsOf(
  ...(['name', 'id', 'kind', 'lastModified', 'size', 'etag', 'storageClass'] as const),
  ...(['checksumAlgorithm', 'owner', 'uploadId', 'adopted', 'locks', 'touched'] as const),
);

function readEntry(document: unknown): VersionEntry {
  const fields = entryFields(document);
  const name = readName(fields.name);
  const isMarker = fields.kind !== undefined;
  if (isMarker) requireMarker(fields);
  return {
    id: fields.id === undefined ? name : readExactly(fields.id, NULL_VERSION_ID),
    name,
    kind: isMarker ? 'delete-marker' : 'version',
    lastModified: readNatural(fields.lastModified),
    size: isMarker ? 0 : readNatural(fields.size),
    etag: isMarker ? '' : readEtag(fields.etag),
    storageClass: readOptional(fields.storageClass, readText),
    checksumAlgorithm: readOptional(fields.checksumAlgorithm, readText),
    owner: readOptional(fields.owner, readText),
    uploadId: readOptional(fields.uploadId, readText),
    adopted: readOptional(fields.adopted, readAdopted),
    locks: readOptional(fields.locks, readPatch),
    touched: readOptional(fields.touched, readName),
  };
}

function requireMarker({ kind, size, etag }: ReturnType<typeof entryFields>): void {
  readExactly(kind, 'delete-marker');
  if (size !== undefined || etag !== undefined) throw new Error('a delete marker has a body');
}

function readEtag(value: unknown): string {
  const etag = readText(value);
  if (etag === '' || etag.length > ETAG_CHARACTERS_MAX) throw new Error('there is no ETag');
  return etag;
}

const adoptedFields = fieldsOf('etag', 'lastModified');

function readAdopted(document: unknown): NonNullable<VersionEntry['adopted']> {
  const { etag, lastModified } = adoptedFields(document);
  return { etag: readText(etag), lastModified: readNatural(lastModified) };
}

/** JSON leaves out what is undefined. */
function render(document: object): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...document }));
}

function parse<T>(what: string, bytes: Buffer, read: (document: unknown) => T): T {
  try {
    return read(JSON.parse(bytes.toString()));
  } catch (error) {
    const cause = new Error(`${what} cannot be read`, { cause: error });
    throw new S3Error('InternalError', undefined, {}, { cause });
  }
}

function requireUnique(values: readonly string[]): void {
  if (new Set(values).size < values.length) throw new Error('a version is there twice');
}
