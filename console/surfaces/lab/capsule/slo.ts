import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { SwiftAccount } from '../../../swift/account.js';
import { versionQuery, type ObjectPlace } from './subject.js';

/** Swift's answer to `?multipart-manifest=get`; a segment may be bytes of the manifest itself. */
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

/** Parses a manifest where that may take its time, as {@link segmentLines} does. */
export type ParseManifest = (bytes: Buffer) => Promise<string>;

/**
 * The manifest of a static large object, and its segments as {@link segmentLines} has them.
 * @throws SwiftStatusError, UpstreamError
 */
export async function readSloManifest(
  store: SwiftAccount,
  place: ObjectPlace,
  parse: ParseManifest,
): Promise<{ readonly bytes: Buffer; readonly segments: string }> {
  const { container, name: object } = place;
  const query = { 'multipart-manifest': 'get', ...versionQuery(place) };
  const { body: bytes } = await store.read(
    [200],
    'GET',
    { container, object, query },
    MANIFEST_BYTES_MAX,
  );
  return { bytes, segments: await parse(bytes) };
}

/**
 * The segments of a manifest as JSON, a line each: one text is cheap to send to another thread, and
 * can be read in turns. Takes a tenth of a second for the largest manifests: not for an event loop.
 *
 * @returns null for bytes that are no manifest
 */
export function segmentLines(bytes: Uint8Array): string | null {
  try {
    const segments = MANIFEST.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return segments.map((segment) => `${JSON.stringify(segment)}\n`).join('');
  } catch {
    return null;
  }
}

/** A few hundred microseconds of parsing. */
const SEGMENTS_PER_TURN = 200;

/** @param lines - as {@link segmentLines} makes them; others get a turn now and then */
export async function* segmentsIn(lines: string): AsyncGenerator<SloSegment, void, undefined> {
  let count = 0;
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf('\n', at);
    yield JSON.parse(lines.slice(at, end)) as SloSegment;
    at = end + 1;
    count += 1;
    if (count % SEGMENTS_PER_TURN === 0) await setImmediate();
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

/** The objects of a manifest's segments, by name, in the order of their first use. */
export async function segmentObjects(lines: string): Promise<Map<string, SegmentObject>> {
  const found = new Map<string, SegmentObject>();
  for await (const segment of segmentsIn(lines)) {
    if ('data' in segment || found.has(segment.name)) continue;
    const [, container = '', object = ''] = /^\/([^/]+)\/(.*)$/s.exec(segment.name) ?? [];
    const { bytes, hash, sub_slo: nested } = segment;
    found.set(segment.name, { container, object, bytes, hash, isNested: nested === true });
  }
  return found;
}
