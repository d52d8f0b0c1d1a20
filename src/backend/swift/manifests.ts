import type { Segment } from '../backend.js';
import { BackendError } from '../errors.js';

/** How a manifest of Swift's names a segment, and how this backend keeps what it cannot name. */

/** `/container/object`, not encoded. */
export function segmentPath({ container, object }: Pick<Segment, 'container' | 'object'>): string {
  return `/${container}/${object}`;
}

/** A segment that the manifest leaves out: Swift has none of no bytes but the last. */
interface EmptySegment {
  /** Among all segments, from 0. */
  readonly index: number;
  readonly path: string;
  readonly etag: string;
}

/** Renders empty segments as system metadata. */
export function renderEmptySegments(segments: readonly Segment[]): string | undefined {
  const empty = segments.flatMap((segment, index) =>
    segment.size === 0 ? [[index, segmentPath(segment), segment.etag]] : [],
  );
  return empty.length === 0 ? undefined : JSON.stringify(empty);
}

/** @returns nothing for what cannot be read */
export function parseEmptySegments(text: string | undefined): readonly EmptySegment[] {
  if (text === undefined || text === '') return [];
  try {
    const parsed = JSON.parse(text) as readonly (readonly [number, string, string])[];
    return parsed.map(([index, path, etag]) => ({ index, path, etag }));
  } catch {
    return [];
  }
}

/** All segments of a large object: those that its manifest names, and the empty ones in between. */
export function withEmptySegments(
  named: readonly Segment[],
  empty: readonly EmptySegment[],
): readonly Segment[] {
  const all = [...named];
  for (const { index, path, etag } of empty) {
    const slash = path.indexOf('/', 1);
    const container = path.slice(1, slash);
    all.splice(index, 0, { container, object: path.slice(slash + 1), size: 0, etag });
  }
  return all;
}

/** An entry of a manifest as Swift keeps it; those of its users may have more to them than ours. */
export interface StoredSegment {
  /** `/container/object` */
  readonly name?: string;
  readonly bytes?: number;
  readonly hash?: string;
  /** `first-last` of the object's bytes. */
  readonly range?: string;
  /** A manifest itself; then `bytes` is that of the manifest, and its content type has the real one. */
  readonly sub_slo?: boolean;
  readonly content_type?: string;
  /** Bytes in the manifest itself, in base64; there is no object then. */
  readonly data?: string;
}

/**
 * The segments that a manifest names (`?multipart-manifest=get`). Bytes that lie in the manifest are
 * told as a segment without a name.
 * @throws BackendError Corrupt
 */
export function readManifest(text: string): Segment[] {
  return parsed(text).map((stored) => {
    const [, container = '', object = ''] = /^\/?([^/]+)\/(.+)$/s.exec(stored.name ?? '') ?? [];
    return { container, object, size: sizeOf(stored), etag: stored.hash ?? '' };
  });
}

function sizeOf({ bytes, range, sub_slo, content_type, data }: StoredSegment): number {
  if (data !== undefined) return Buffer.byteLength(data, 'base64');
  if (range !== undefined) {
    const [first, last] = range.split('-').map(Number);
    return (last ?? NaN) - (first ?? NaN) + 1;
  }
  const whole = sub_slo === true && /;\s*swift_bytes=(\d+)/.exec(content_type ?? '')?.[1];
  return typeof whole === 'string' ? Number(whole) : (bytes ?? NaN);
}

function parsed(text: string): readonly StoredSegment[] {
  try {
    const manifest: unknown = JSON.parse(text);
    if (Array.isArray(manifest)) return manifest as readonly StoredSegment[];
  } catch {
    // The error below covers a document that is no JSON as well.
  }
  throw new BackendError('Corrupt', 'a manifest that is no JSON list');
}
