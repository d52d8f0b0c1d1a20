import { hash } from 'node:crypto';
import type {
  Metadata,
  PutOutcome,
  CopyInput,
  ObjectHead,
  Segment,
} from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { longAnswer, renderReport, answerAtLength } from '../bulk/bulk-delete.js';
import { deleteMany, type Deletions } from '../bulk/delete-many.js';
import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import { OWN } from '../gateway/system-metadata.js';
import { acceptedFormat, type ListingFormat } from '../listing/listing-query.js';
import { LISTED } from '../listing/object-entry.js';
import { unquoted } from '../object/conditions.js';
import { isStaticLarge, objectHeaders } from '../object/object-headers.js';
import { copyPrecondition, describeGiven, givenPrecondition, replyOf } from '../object/writing.js';
import { conditionReply, headOf, readHeaders, readOptions } from '../object/reading.js';
import { overriddenHash } from '../object/representation.js';
import { statusLine, type Reply, TEXT } from '../reply.js';
import { SwiftError, swiftErrorOf } from '../swift-error.js';
import { isTrue, type ObjectTarget } from '../target.js';
import { lastModified } from '../timestamps.js';
import {
  parseManifest,
  type WantedSegment,
  largeEtag,
  renderManifest,
  type DescribedSegment,
  renderRawManifest,
} from './manifest.js';
import { findSegments, type Problem, describeSegments } from './segments.js';

/** `PUT` with `multipart-manifest=put`: a static large object. @throws SwiftError */
export async function putManifest(call: Call<ObjectTarget>): Promise<Reply> {
  const { headers, body, api, target, query } = call;
  if (!headers.has('content-length') && !headers.has('transfer-encoding'))
    throw new SwiftError(411);
  const { manifestBytesMax, manifestSegmentsMax, heartbeatMs } = api.limits;
  if ((body.contentLength ?? 0) > manifestBytesMax) {
    throw new SwiftError(413, `Manifest File > ${manifestBytesMax} bytes`);
  }
  const wanted = parseManifest(await body.collect(manifestBytesMax));
  if (wanted.length > manifestSegmentsMax) {
    const message = `Number of object-backed segments must be <= ${manifestSegmentsMax}`;
    throw new SwiftError(413, message);
  }
  if (
    wanted.some(
      ({ container, object }) => container === target.container && object === target.object,
    )
  ) {
    throw new SwiftError(400, 'Manifest must not include itself as a segment\n', 'text/plain');
  }
  await openContainer(call, target, 'write');
  const format = formatOf(call);
  const store = (): Promise<Stored> => storeManifest(call, wanted);
  if (!isTrue(query.get('heartbeat'))) return briefly(call, await store(), format);
  const work = (): Promise<string> =>
    store().then((stored) => atLength(stored, format), failed(format));
  return {
    status: 202,
    headers: [['Content-Type', format]],
    body: longAnswer(work, { heartbeatMs, eager: true }),
  };
}

/** The outcome of storing a manifest. */
type Stored =
  | { readonly problems: readonly Problem[] }
  | { readonly problems?: undefined; readonly outcome: PutOutcome; readonly etag: string };

/** @throws SwiftError 412, 422 */
async function storeManifest(
  call: Call<ObjectTarget>,
  wanted: readonly WantedSegment[],
): Promise<Stored> {
  if (wanted.length === 0) return { problems: [['', 'This store keeps no empty manifests']] };
  const { segments, problems } = await findSegments(call, wanted);
  if (problems.length > 0) return { problems };
  const etag = largeEtag(segments);
  const given = call.headers.get('etag');
  if (given !== undefined && given !== '' && unquoted(given) !== etag) throw new SwiftError(422);
  return writeManifest(call, segments, etag);
}

async function writeManifest(
  call: Call<ObjectTarget>,
  segments: readonly DescribedSegment[],
  etag: string,
): Promise<Stored> {
  const { api, context, target } = call;
  const manifestEtag = hash('md5', renderManifest(segments));
  const given = describeGiven(call);
  const { systemMetadata, listingAttributes } = given;
  const kept = manifestMetadata(systemMetadata, listingAttributes, manifestEtag, etag);
  const input = { ...given, ...kept, etag, segments };
  try {
    const outcome = await api.backend.putManifest(context, target, input, givenPrecondition(call));
    return { outcome, etag };
  } catch (error) {
    if (!(error instanceof BackendError) || error.code !== 'SegmentMismatch') throw error;
    return { problems: [['', `${statusLine(409)}: ${error.message}`]] };
  }
}

/** Metadata that is kept with a manifest besides that of the request. */
function manifestMetadata(
  systemMetadata: Metadata,
  listed: Metadata | undefined,
  manifestEtag: string,
  etag: string,
): { systemMetadata: Metadata; listingAttributes: Metadata } {
  return {
    systemMetadata: { ...systemMetadata, [OWN.manifestEtag]: manifestEtag },
    listingAttributes: {
      ...listed,
      [LISTED.hash]: overriddenHash(listed?.[LISTED.hash], manifestEtag),
      [LISTED.manifestEtag]: etag,
    },
  };
}

function formatOf({ headers }: Call): ListingFormat {
  try {
    return acceptedFormat(headers.get('accept'));
  } catch {
    return 'text/plain';
  }
}

function briefly(call: Call, stored: Stored, format: ListingFormat): Reply {
  if (stored.problems === undefined) return replyOf(call, stored.outcome, `"${stored.etag}"`);
  const body = renderReport({ fields: {}, errors: stored.problems }, format, 'upload');
  return { status: 400, headers: [['Content-Type', format]], body };
}

const BAD_REQUEST =
  'Bad Request\nThe server could not comply with the request since it is either malformed or otherwise incorrect.';

function atLength(stored: Stored, format: ListingFormat): string {
  if (stored.problems !== undefined) return statusReport(400, BAD_REQUEST, format, stored.problems);
  const { outcome, etag } = stored;
  if (outcome.outcome === 'stale') return statusReport(202, '', format);
  if (outcome.outcome !== 'created') return statusReport(412, '', format);
  const fields = {
    'Response Status': statusLine(201),
    Etag: `"${etag}"`,
    'Last Modified': lastModified(outcome.lastModified),
    'Response Body': '',
  };
  return renderReport({ fields, errors: [] }, format, 'upload');
}

/** The status has been sent: what went wrong can only be told in the body. */
function failed(format: ListingFormat): (error: unknown) => string {
  return (error) => {
    const { status } = swiftErrorOf(error) ?? new SwiftError(500);
    return statusReport(status, statusLine(status), format);
  };
}

function statusReport(
  status: number,
  body: string,
  format: ListingFormat,
  errors: readonly Problem[] = [],
): string {
  const fields = { 'Response Status': statusLine(status), 'Response Body': body };
  return renderReport({ fields, errors }, format, 'upload');
}

/** Copies a large object as a large object of the same segments (`multipart-manifest=get`). */
export async function copyManifest(
  source: Call<ObjectTarget>,
  sink: Call<ObjectTarget>,
  head: ObjectHead,
  input: CopyInput,
): Promise<Reply> {
  const { api, context, target } = sink;
  if (source.target.account !== target.account) {
    throw new SwiftError(501, 'A manifest cannot be copied to another account here\n', TEXT);
  }
  const segments = await api.backend.getSegments(
    source.context,
    source.target,
    readOptions(source),
  );
  if (segments === undefined) throw new SwiftError(409);
  // It becomes a manifest by the writer's right to read all that it names, as on a Swift.
  const named = segments.map((segment) => ({
    ...segment,
    path: `/${segment.container}/${segment.object}`,
    sizeBytes: segment.size,
  }));
  const { problems } = await findSegments(sink, named);
  if (problems.length > 0) return briefly(sink, { problems }, formatOf(sink));
  const systemMetadata = input.systemMetadata ?? head.systemMetadata;
  const manifestEtag = systemMetadata[OWN.manifestEtag] ?? hash('md5', renderRawManifest(segments));
  const manifest = {
    contentType: input.contentType ?? head.contentType,
    headers: input.headers ?? head.headers,
    metadata: input.metadata ?? head.metadata,
    deleteAt: (input.deleteAt === undefined ? head.deleteAt : input.deleteAt) ?? undefined,
    ...manifestMetadata(systemMetadata, input.listingAttributes, manifestEtag, head.etag),
    etag: head.etag,
    segments,
  };
  const precondition = copyPrecondition(sink);
  const outcome = await api.backend.putManifest(context, target, manifest, precondition);
  return replyOf(sink, outcome, `"${head.etag}"`);
}

/** `DELETE` with `multipart-manifest=delete`: a large object, after all that it is made of. */
export function deleteManifest(call: Call<ObjectTarget>): Reply {
  return answerAtLength(call, (deletions) => deleteAll(call, deletions));
}

async function deleteAll(call: Call<ObjectTarget>, deletions: Deletions): Promise<void> {
  const { container, object } = call.target;
  const manifest = `/${container}/${object}`;
  let segments: readonly Segment[] | undefined;
  try {
    await openContainer(call, call.target, 'write');
    segments = await call.api.backend.getSegments(call.context, call.target);
  } catch (error) {
    const known = swiftErrorOf(error);
    if (known === undefined) throw error;
    if (known.status === 404) deletions.notFound += 1;
    else deletions.failed(manifest, known.body, known.status);
    return;
  }
  if (segments === undefined) {
    deletions.failed(manifest, 'Not an SLO manifest');
    return;
  }
  const names = segments.map((segment) => `${segment.container}/${segment.object}`);
  await deleteMany(call, [...new Set(names)], deletions);
  await deleteMany(call, [`${container}/${object}`], deletions);
}

/**
 * `GET` and `HEAD` with `multipart-manifest=get`: what a static large object is made of.
 * @returns undefined for any other object
 */
export async function readManifest(call: Call<ObjectTarget>): Promise<Reply | undefined> {
  const { api, target, query, method } = call;
  const head = await headOf(call);
  if (!isStaticLarge(head)) return undefined;
  const segments = (await api.backend.getSegments(call.context, target, readOptions(call))) ?? [];
  const isRaw = query.get('format') === 'raw';
  const body = isRaw
    ? renderRawManifest(segments)
    : renderManifest(await describeSegments(call, segments, head.lastModified));
  const kept = isRaw ? undefined : head.systemMetadata[OWN.manifestEtag];
  const etag = kept ?? hash('md5', body);
  const headers = objectHeaders(call, head)
    .filter(([name]) => name !== 'X-Manifest-Etag')
    .map(([name, value]) => [name, name === 'Etag' ? etag : value] as const);
  const early = conditionReply(call, head, etag, headers);
  if (early !== undefined) return early;
  const contentType = isRaw ? head.contentType : 'application/json; charset=utf-8';
  return {
    status: 200,
    headers: readHeaders(contentType, headers),
    ...(method === 'HEAD' ? { contentLength: Buffer.byteLength(body) } : { body }),
  };
}
