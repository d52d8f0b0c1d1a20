import type { VerifiedCapsule } from '../../../../src/capsule/verify-capsule.js';
import type { Capture } from './capture.js';

/** A field of an object in a capsule and in the store. */
export interface FieldDifference {
  readonly field: string;
  readonly capsule: string | null;
  readonly store: string | null;
  readonly same: boolean;
}

/** Fields that an import keeps; others, such as times, are new. */
const KEPT =
  /^(?:content-type|content-encoding|content-disposition|x-delete-at|x-object-manifest|x-object-meta-.+)$/;

/**
 * Compares an object that was written with the capsule that it came from.
 * @param before - the headers that clients saw then
 */
export function compareWithCapsule(
  capsule: VerifiedCapsule,
  before: Readonly<Record<string, string>>,
  made: Capture,
): FieldDifference[] {
  const { object } = capsule.manifest;
  const names = new Set([...Object.keys(before), ...Object.keys(made.headers)]);
  const rows: (readonly [string, string | null, string | null])[] = [
    ['kind', object.kind, made.object.kind],
    ['bytes', textOf(object.bytes), textOf(made.object.bytes)],
    // The ETag of a large object is made of those of its segments.
    ['etag', object.etag, made.object.etag],
    ['policy', object.policy, made.object.policy],
    ...[...names]
      .filter((name) => KEPT.test(name))
      .sort()
      .map((name) => [name, before[name] ?? null, made.headers[name] ?? null] as const),
  ];
  return rows.map(([field, old, store]) => ({ field, capsule: old, store, same: old === store }));
}

function textOf(value: number | null): string | null {
  return value === null ? null : String(value);
}
