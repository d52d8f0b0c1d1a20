import { hash } from 'node:crypto';
import type { Segment } from '../../backend/backend.js';
import { asciiJson } from '../../lib/ascii-json.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { splitObjectPath } from '../target.js';
import { listingTime } from '../timestamps.js';

/** A manifest as Swift keeps it and shows it. */

/** A segment, and what of the object it is was told with the manifest. */
export interface DescribedSegment extends Segment {
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
}

/** Renders JSON as Python writes it: its MD5 is the manifest's ETag. */
export function renderManifest(segments: readonly DescribedSegment[]): string {
  const entries = segments.map(({ container, object, size, etag, contentType, lastModified }) => {
    const time = Math.ceil(lastModified / 1000) * 1000;
    return (
      `{"name": ${asciiJson(`/${container}/${object}`)}, "bytes": ${size}, "hash": ${asciiJson(etag)}, ` +
      `"content_type": ${asciiJson(contentType)}, "last_modified": "${listingTime(time)}"}`
    );
  });
  return `[${entries.join(', ')}]`;
}

/** The body that a client would have to send to make the same again (`format=raw`). */
export function renderRawManifest(segments: readonly Segment[]): string {
  const entries = segments.map(
    ({ container, object, size, etag }) =>
      `{"etag": ${asciiJson(etag)}, "path": ${asciiJson(`/${container}/${object}`)}, "size_bytes": ${size}}`,
  );
  return `[${entries.join(', ')}]`;
}

/** Shown as the large object's ETag: the MD5 of its segments' ETags, one after the other. */
export function largeEtag(segments: readonly Pick<Segment, 'etag'>[]): string {
  return hash('md5', segments.map(({ etag }) => etag).join(''));
}

/** A segment that a client wants in a large object (swift.common.middleware.slo). */
export interface WantedSegment {
  readonly container: string;
  readonly object: string;
  /** The path as given, with one slash in front. */
  readonly path: string;
  /** Unquoted; undefined: any. */
  readonly etag: string | undefined;
  readonly sizeBytes: number | undefined;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @throws SwiftError 400 with everything that is wrong; 501 for parts of objects and for bytes in
 *   the manifest itself, which this store cannot keep
 */
export function parseManifest(body: Buffer): WantedSegment[] {
  let parsed: unknown;
  try {
    // Never read as something near to it, which would name other segments.
    parsed = JSON.parse(UTF8.decode(body));
  } catch {
    throw new SwiftError(400, 'Manifest must be valid JSON.\n');
  }
  if (!Array.isArray(parsed)) throw new SwiftError(400, 'Manifest must be a list.\n');
  const errors: string[] = [];
  const segments: WantedSegment[] = [];
  (parsed as unknown[]).forEach((entry, index) => {
    const segment = parseSegment(entry, index === parsed.length - 1);
    if (typeof segment === 'string') errors.push(`Index ${index}: ${segment}\n`);
    else segments.push(segment);
  });
  if (errors.length > 0) throw new SwiftError(400, errors.join(''), TEXT);
  return segments;
}

const KEYS: ReadonlySet<string> = new Set(['path', 'etag', 'size_bytes', 'range']);

/** @returns the segment, or what is wrong with it */
function parseSegment(entry: unknown, isLast: boolean): WantedSegment | string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return 'not a JSON object';
  }
  const given = entry as Readonly<Record<string, unknown>>;
  if ('data' in given)
    throw new SwiftError(501, 'Inline data segments are not served by this store\n', TEXT);
  if (!('path' in given)) return "expected keys to include one of b'path' or b'data'";
  const extraneous = Object.keys(given).filter((key) => !KEYS.has(key));
  if (extraneous.length > 0) {
    return `extraneous keys ${extraneous
      .sort()
      .map((key) => JSON.stringify(key))
      .join(', ')}`;
  }
  const { path, etag, size_bytes: size, range } = given;
  if (typeof path !== 'string') return '"path" must be a string';
  if (etag !== undefined && etag !== null && typeof etag !== 'string') {
    return '"etag" must be a string or null (if provided)';
  }
  const parts = splitObjectPath(path.replace(/^\/+/, '/'));
  if (parts === undefined) {
    return 'path does not refer to an object. Path must be of the form /container/object.';
  }
  const sizeBytes = size === undefined || size === null ? undefined : Number(size);
  if (sizeBytes !== undefined && !Number.isSafeInteger(sizeBytes)) return 'invalid size_bytes';
  if (sizeBytes !== undefined && sizeBytes < 1 && !isLast) {
    return 'too small; each segment must be at least 1 byte.';
  }
  if (range !== undefined && range !== null && range !== '') {
    throw new SwiftError(501, 'Segments of ranges are not served by this store\n', TEXT);
  }
  return {
    ...parts,
    path: `/${parts.container}/${parts.object}`,
    etag: etag ?? undefined,
    sizeBytes,
  };
}
