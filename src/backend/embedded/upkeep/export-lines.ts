import type { ContainerAcl, ContainerRef, LinkTarget, Metadata, Segment } from '../../backend.js';
import { ACCOUNT_BYTES_MAX, CONTAINER_BYTES_MAX, OBJECT_NAME_BYTES_MAX } from '../keys.js';

/**
 * An export: one file of lines of JSON, and bodies between them.
 *
 *   {"ringway_export":1}
 *   {"container":{…}}            all objects up to the next one are in it
 *   {"object":{…}}               `size` bytes of the body and a line break follow, if `body` is `bytes`
 *   {"end":{…}}                  the counts, and the SHA-256 of all bytes before this line
 *
 * Nothing of it is whole before the last line. docs/embedded-store.md has the fields.
 */
export const EXPORT_VERSION = 1;

export interface ExportedContainer extends ContainerRef {
  readonly created_ms: number;
  readonly metadata: Metadata;
  readonly system_metadata: Metadata;
  readonly acl: ContainerAcl;
}

export interface ExportedObject {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
  readonly modified_ms: number;
  readonly content_type: string;
  readonly headers: Metadata;
  readonly metadata: Metadata;
  readonly system_metadata: Metadata;
  readonly attributes: Metadata;
  readonly delete_at_ms?: number | undefined;
  /** `absent`: kept in the cold tier, which is no part of the export. */
  readonly body: 'bytes' | 'segments' | 'link' | 'absent';
  readonly segments?: readonly Segment[] | undefined;
  readonly target?: LinkTarget | undefined;
}

export interface ExportEnd {
  readonly containers: number;
  readonly objects: number;
  /** The size of all bodies. */
  readonly bytes: number;
  readonly sha256: string;
}

export type ExportLine =
  | { readonly ringway_export: number }
  | { readonly container: ExportedContainer }
  | { readonly object: ExportedObject }
  | { readonly end: ExportEnd };

/** An export that cannot be read, and why. */
export class ExportFormatError extends Error {
  override readonly name = 'ExportFormatError';
}

/** @param bytes - a line @throws ExportFormatError for one that an import could not store as it is */
export function parseLine(bytes: Buffer): ExportLine {
  let line: unknown;
  try {
    line = JSON.parse(bytes.toString());
  } catch {
    // It is no JSON: said below.
  }
  if (!isRecord(line)) throw new ExportFormatError('it is no export of a store, or a damaged one');
  for (const [kind, fields] of Object.entries(LINES)) {
    if (!(kind in line)) continue;
    const wrong = wrongField(line[kind], fields) ?? missingOf(line as ExportLine);
    if (wrong === undefined) return line as ExportLine;
    throw new ExportFormatError(`the export has a line "${kind}" whose ${wrong} cannot be used`);
  }
  if ('ringway_export' in line) return line as ExportLine;
  throw new ExportFormatError('the export has a line that this release does not know');
}

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

/** The largest number of a record. */
const NUMBER_MAX = 2 ** 48 - 1;
const SHA256 = /^[0-9a-f]{64}$/;

const isNumber: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= NUMBER_MAX;
const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => isRecord(value) && Object.values(value).every(isText);

function isName(bytesMax: number): Check {
  return (value) =>
    typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= bytesMax;
}

const SEGMENT: Fields = { container: isText, object: isText, size: isNumber, etag: isText };
const TARGET: Fields = { container: isText, object: isText };

const LINES: Readonly<Record<'container' | 'object' | 'end', Fields>> = {
  container: {
    account: isName(ACCOUNT_BYTES_MAX),
    // Clients could not name one with a slash.
    container: (value) => isName(CONTAINER_BYTES_MAX)(value) && !String(value).includes('/'),
    created_ms: isNumber,
    metadata: isTexts,
    system_metadata: isTexts,
    acl: (value) => wrongField(value, { read: isText, write: isText }) === undefined,
  },
  object: {
    name: isName(OBJECT_NAME_BYTES_MAX),
    size: isNumber,
    etag: isText,
    modified_ms: isNumber,
    content_type: isText,
    headers: isTexts,
    metadata: isTexts,
    system_metadata: isTexts,
    attributes: isTexts,
    delete_at_ms: (value) => value === undefined || isNumber(value),
    body: (value) => ['bytes', 'segments', 'link', 'absent'].includes(value as string),
    segments: (value) => value === undefined || (Array.isArray(value) && areSegments(value)),
    target: (value) => value === undefined || wrongField(value, TARGET) === undefined,
  },
  end: {
    containers: isNumber,
    objects: isNumber,
    bytes: isNumber,
    sha256: (value) => SHA256.test(String(value)),
  },
};

function areSegments(segments: readonly unknown[]): boolean {
  let size = 0;
  for (const segment of segments) {
    if (wrongField(segment, SEGMENT) !== undefined) return false;
    size += (segment as Segment).size;
  }
  return segments.length > 0 && isNumber(size);
}

/** @returns the field that an object without a body of its own needs, and lacks */
function missingOf(line: ExportLine): string | undefined {
  if (!('object' in line)) return undefined;
  const { body, segments, target } = line.object;
  if (body === 'segments' && segments === undefined) return 'segments';
  return body === 'link' && target === undefined ? 'target' : undefined;
}

/** @returns the name of the first field that is missing or is not what it has to be */
function wrongField(value: unknown, fields: Fields): string | undefined {
  if (!isRecord(value)) return 'content';
  return Object.keys(fields).find((name) => fields[name]?.(value[name]) !== true);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
