import type { Readable } from 'node:stream';
import {
  BODY,
  METADATA,
  PLACEMENT,
  REPLICAS,
  segmentPath,
  SLO_MANIFEST,
} from '../../../../src/capsule/file-names.js';
import type { CapsuleManifest } from '../../../../src/capsule/manifest.js';
import type { CapsuleKey } from '../../../../src/capsule/signing.js';
import { writeCapsule, type CapsuleFile } from '../../../../src/capsule/write-capsule.js';
import { ApiError } from '../../../server/api-error.js';
import type { SwiftAccount, SwiftRequest } from '../../../swift/account.js';
import type { Capture } from './capture.js';
import { readSloManifest, segmentObjects, type ParseManifest, type SegmentObject } from './slo.js';
import { readSubject, versionQuery, type ObjectPlace } from './subject.js';

export interface ExportOptions {
  readonly store: SwiftAccount;
  readonly key: CapsuleKey;
  readonly parseManifest: ParseManifest;
  readonly cluster: string;
  readonly sourceVersion: string;
  readonly withBody: boolean;
  /** `max_upload_bytes`. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/** The longest pause of a client that reads a capsule. */
const READ_IDLE_MS = 10 * 60_000;

/**
 * The capsule of a capture, made while it is read. The body is read again, since a capture does not
 * keep it: it has to be the one that was captured.
 *
 * @throws ApiError conflict where the object is another one by now, too_large; what reading throws
 */
export async function exportCapsule(
  captured: Capture,
  options: ExportOptions,
): Promise<AsyncGenerator<Buffer, void, undefined>> {
  const { store, withBody, cluster, sourceVersion, key } = options;
  const place = placeOf(captured);
  const { object } = captured;
  const now = await readSubject(store, place);
  if (
    now.status !== object.status ||
    now.etag !== object.etag ||
    now.x_timestamp !== object.x_timestamp
  ) {
    const text = 'The object has changed since it was captured. Capture it again.';
    throw new ApiError('conflict', text, { reason: 'changed_during_capture' });
  }
  const hasBody = withBody && object.status === 200;
  const content = hasBody ? await contentOf(captured, place, options) : [];
  const files = [
    ...content,
    document(REPLICAS, {
      observed_unix_s: captured.created_unix_s,
      verdict: captured.verdict,
      reasons: captured.reasons,
      rows: captured.replicas,
    }),
    document(PLACEMENT, captured.placement ?? { primaries: [], handoffs: [] }),
    document(METADATA, {
      client: captured.headers,
      system: { read_only: true, headers: captured.system },
    }),
  ];
  const describe = (
    sealed: readonly { readonly path: string; readonly sha256: string }[],
  ): Omit<CapsuleManifest, 'files'> => ({
    capsule: 1,
    created_unix_s: captured.created_unix_s,
    cluster,
    source_version: sourceVersion,
    object: {
      account: captured.account,
      container: captured.container,
      name: captured.name,
      version_id: object.version_id,
      policy: object.policy,
      kind: object.kind,
      state: captured.state,
      has_body: hasBody,
      etag: object.etag,
      sha256: sealed.find(({ path }) => path === BODY)?.sha256 ?? null,
      bytes: object.bytes,
      x_timestamp: object.x_timestamp,
    },
  });
  return writeCapsule(files, describe, key);
}

async function contentOf(
  captured: Capture,
  place: ObjectPlace,
  options: ExportOptions,
): Promise<CapsuleFile[]> {
  const { store, bytesMax, signal } = options;
  const { object } = captured;
  const tooLarge = (bytes: number): void => {
    if (bytes <= bytesMax) return;
    const text = 'The object is too large for a capsule. Download the capsule without the body.';
    throw new ApiError('too_large', text, { max_upload_bytes: bytesMax });
  };
  const open = (request: SwiftRequest) => async (): Promise<Readable> => {
    const answer = await store.expect([200], 'GET', { ...request, idleMs: READ_IDLE_MS, signal });
    return answer.body;
  };
  const target = { container: place.container, object: place.name };
  if (object.kind !== 'static') {
    // A dynamic large object is its manifest: its segments are any objects with a prefix.
    const isDynamic = object.kind === 'dynamic';
    const query = {
      ...versionQuery(place),
      ...(isDynamic ? { 'multipart-manifest': 'get' } : {}),
    };
    const ownBytes = isDynamic ? await manifestBytes(store, target, query) : (object.bytes ?? 0);
    tooLarge(ownBytes);
    const headers = isDynamic ? {} : { 'if-match': object.etag ?? '' };
    return [{ path: BODY, bytes: ownBytes, content: open({ ...target, query, headers }) }];
  }
  const manifest = await readSloManifest(store, place, options.parseManifest);
  const segments = [...(await segmentObjects(manifest.segments)).values()];
  tooLarge(segments.reduce((sum, { bytes }) => sum + bytes, 0));
  const { bytes } = manifest;
  return [
    ...segments.map((segment, index) => segmentFile(segment, index + 1, open)),
    { path: SLO_MANIFEST, bytes: bytes.length, content: bytes },
  ];
}

async function manifestBytes(
  store: SwiftAccount,
  target: { readonly container: string; readonly object: string },
  query: Readonly<Record<string, string>>,
): Promise<number> {
  const { headers } = await store.do([200], 'HEAD', { ...target, query });
  return Number(headers['content-length'] ?? 0);
}

function segmentFile(
  { container, object, bytes, hash }: SegmentObject,
  number: number,
  open: (request: SwiftRequest) => () => Promise<Readable>,
): CapsuleFile {
  const headers = { 'if-match': `"${hash.replaceAll('"', '')}"` };
  return { path: segmentPath(number), bytes, content: open({ container, object, headers }) };
}

/** The place that a capture was asked for. */
export function placeOf({ container, name, asked_version_id: version }: Capture): ObjectPlace {
  return { container, name, ...(version === null ? {} : { version_id: version }) };
}

function document(path: string, value: unknown): CapsuleFile {
  const content = Buffer.from(JSON.stringify(value));
  return { path, bytes: content.length, content };
}
