import type { Segment } from '../backend.js';

/** How a manifest of Swift's names a segment, and how this backend keeps what it cannot name. */

/** `/container/object`, not encoded. */
export function segmentPath({ container, object }: Pick<Segment, 'container' | 'object'>): string {
  return `/${container}/${object}`;
}

/** A segment that the manifest leaves out: Swift has none of no bytes but the last. */
export interface EmptySegment {
  /** Among all segments, from 0. */
  readonly index: number;
  readonly path: string;
  readonly etag: string;
}

/** As system metadata. */
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
