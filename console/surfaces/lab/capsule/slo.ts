import { z } from 'zod';
import type { SwiftAccount } from '../../../swift/account.js';
import { UpstreamError } from '../../../swift/errors.js';
import { versionQuery, type ObjectPlace } from './subject.js';

/** What Swift answers to `?multipart-manifest=get`; a segment may be bytes of the manifest itself. */
const SEGMENT = z.union([
  z.object({
    name: z.string().startsWith('/').max(8192),
    bytes: z.int().min(0),
    hash: z.string().max(128),
    range: z.string().max(64).optional(),
    sub_slo: z.boolean().optional(),
  }),
  z.object({ data: z.string().max(2 ** 20) }),
]);
const MANIFEST = z.array(SEGMENT).max(10_000);

export type SloSegment = z.infer<typeof SEGMENT>;
const MANIFEST_BYTES_MAX = 8 * 1024 * 1024;

/** The manifest of a static large object. @throws SwiftStatusError, UpstreamError */
export async function readSloManifest(
  store: SwiftAccount,
  place: ObjectPlace,
): Promise<{ readonly bytes: Buffer; readonly segments: readonly SloSegment[] }> {
  const { container, name: object } = place;
  const query = { 'multipart-manifest': 'get', ...versionQuery(place) };
  const { body: bytes } = await store.read(
    [200],
    'GET',
    { container, object, query },
    MANIFEST_BYTES_MAX,
  );
  return { bytes, segments: parseSloManifest(bytes) };
}

/** @throws UpstreamError */
export function parseSloManifest(bytes: Buffer): readonly SloSegment[] {
  try {
    return MANIFEST.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new UpstreamError('invalid', { cause: error });
  }
}

/** An object that holds a segment, once, in however many places it is used. */
export interface SegmentObject {
  readonly container: string;
  readonly object: string;
  readonly bytes: number;
  readonly hash: string;
  readonly isNested: boolean;
}

/** The objects of a manifest's segments, in the order of their first use. */
export function segmentObjects(segments: readonly SloSegment[]): Map<string, SegmentObject> {
  const found = new Map<string, SegmentObject>();
  for (const segment of segments) {
    if ('data' in segment || found.has(segment.name)) continue;
    const [, container = '', object = ''] = /^\/([^/]+)\/(.*)$/s.exec(segment.name) ?? [];
    const { bytes, hash, sub_slo: nested } = segment;
    found.set(segment.name, { container, object, bytes, hash, isNested: nested === true });
  }
  return found;
}
