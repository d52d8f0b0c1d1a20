import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { mapLimited } from '../../../src/lib/promises.js';
import { ApiError } from '../../server/api-error.js';
import { discardRest } from '../../server/bodies.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { auditedRoute, readRoute, unauditedRoute } from '../../server/route-options.js';
import { hasRight } from '../../server/rights.js';
import type { SwiftAccount } from '../../swift/account.js';
import { SwiftStatusError, UpstreamError } from '../../swift/errors.js';
import { headerText } from '../../swift/login.js';
import { readBody } from '../../swift/upstream.js';
import { aclLists } from './acl-routes.js';
import { isTaken, TAKEN } from './exists.js';
import { contentType, objectPlace, refuseTrash, segmentsOf } from './names.js';
import { onlyOver, s3BucketOf, type S3Bucket } from './s3/s3-bucket.js';
import { expectKept } from './s3/s3-objects.js';
import { aclOfSegments } from './s3/gateway-rules.js';
import { isJoined, joinInS3 } from './s3/join-segments.js';
import { walkObjects, type ObjectRow } from './swift-listing.js';
import { meter } from './transfer-routes.js';
import {
  planUpload,
  segmentLength,
  segmentName,
  type UploadedFile,
  type UploadPlan,
} from './upload-plan.js';
import { replacing } from './write-effect.js';

const SIZE_MAX = 5 * 1024 ** 4;

const FILE = objectPlace.extend({
  size_bytes: z.coerce.number().int().min(1).max(SIZE_MAX),
  mtime_ms: z.coerce.number().int().min(0),
  fingerprint: z.string().regex(/^[0-9a-f]{16,64}$/),
});
const SEGMENT = FILE.extend({ index: z.coerce.number().int().min(0).max(999) });
const FINISH = FILE.extend({
  overwrite: z.boolean().default(false),
  type: contentType.default('application/octet-stream'),
});

/** The known facts of a segment. */
export type Listed = Pick<ObjectRow, 'name' | 'hash' | 'bytes'>;

const HEADS_AT_ONCE = 8;
const UPLOAD_IDLE_MS = 2 * 60_000;
/** Swift looks at every segment before it answers. */
const MANIFEST_IDLE_MS = 15 * 60_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** How the browser is to send a large file. */
export interface UploadPlanView {
  readonly segment_bytes: number;
  readonly segments: number;
  /** Indexes of segments that are there already. */
  readonly present: readonly number[];
}

/** Large files, in segments: what was interrupted goes on where it was. */
export function uploadRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { options } = context;
  /** A segment is a body like any other: it may not be larger than one. */
  const planOf = (file: UploadedFile, bucket: S3Bucket | undefined): UploadPlan => {
    const { segmentBytes, maxUploadBytes } = options;
    const kind = bucket === undefined ? 'slo' : 's3';
    const plan = planUpload(file, Math.min(segmentBytes, maxUploadBytes), kind);
    if (plan.segmentBytes <= maxUploadBytes) return plan;
    const message = "The file is too large: its segments would exceed the console's upload limit.";
    throw new ApiError('too_large', message, { max_upload_bytes: maxUploadBytes });
  };

  app.post('/api/files/uploads', readRoute('write'), async (request): Promise<UploadPlanView> => {
    const file = parse(FILE, request.body);
    const bucket = await s3BucketOf(sessionOf(request), file.container);
    const plan = planOf(file, bucket);
    const { store } = sessionOf(request);
    refuseTrash(file.container);
    await context.changes.ofContainer(store, file.container, () =>
      makeSegments(store, file.container, bucket !== undefined),
    );
    const present = await presentSegments(store, file.container, file.size_bytes, plan);
    // A client that lost the answer to the end begins once more: nothing is left to send.
    const isDone = bucket !== undefined && (await isJoined(store, bucket, file.name, plan));
    return {
      segment_bytes: plan.segmentBytes,
      segments: plan.segments,
      present: isDone ? [...Array(plan.segments).keys()] : [...present.keys()],
    };
  });

  const parts = unauditedRoute('write', 'the end of the upload is in it');
  app.put('/api/files/uploads/segment', parts, async (request, reply) => {
    const file = parse(SEGMENT, request.query);
    const bucket = await s3BucketOf(sessionOf(request), file.container).catch((error: unknown) => {
      discardRest(request.raw);
      throw error;
    });
    const plan = planOf(file, bucket);
    const length = segmentLength(plan, file.size_bytes, file.index);
    if (length <= 0 || Number(request.headers['content-length']) !== length) {
      throw new ApiError('invalid_argument', 'The Content-Length does not match the segment.');
    }
    const { store } = sessionOf(request);
    const place = {
      container: segmentsOf(file.container),
      object: segmentName(plan, file.index),
    };
    const former = await store.do([200, 204, 403, 404], 'HEAD', place);
    if (former.status < 300) {
      // A client that lost the answer sends it again; a segment that a finished object may use is
      // never replaced.
      discardRest(request.raw);
      if (Number(former.headers['content-length']) !== length) {
        throw new ApiError('conflict', 'A different segment with this name already exists.');
      }
      return reply.status(201).send({ etag: (former.headers.etag ?? '').replaceAll('"', '') });
    }
    const body = request.body as Readable | undefined;
    const metered = meter(body, String(length), options.maxUploadBytes);
    const { headers } = await store
      .do([201], 'PUT', {
        ...place,
        body: metered.body,
        idleMs: UPLOAD_IDLE_MS,
        headers: {
          'content-length': String(length),
          'content-type': 'application/octet-stream',
          'if-none-match': '*',
        },
      })
      .catch((error: unknown) => {
        discardRest(request.raw);
        throw error;
      });
    return reply.status(201).send({ etag: metered.stored(headers) });
  });

  app.post('/api/files/uploads/finish', auditedRoute('write'), async (request, reply) => {
    const file = parse(FINISH, request.body);
    const { store } = sessionOf(request);
    const { container } = file;
    refuseTrash(container);
    const bucket = await s3BucketOf(sessionOf(request), container);
    const plan = planOf(file, bucket);
    // The browser waits, and nothing is sent meanwhile.
    request.raw.socket.setTimeout(MANIFEST_IDLE_MS);
    const finish = () => finishUpload(request, file, bucket, plan);
    const end = { container: segmentsOf(container), object: plan.prefix };
    // A client that lost the answer asks again, while the first end is still at work.
    await context.changes.ofObject(store, end, finish);
    return reply.status(201).send({ segments: plan.segments });
  });

  const finishUpload = async (
    request: FastifyRequest,
    file: z.infer<typeof FINISH>,
    bucket: S3Bucket | undefined,
    plan: UploadPlan,
  ): Promise<void> => {
    const { store, user } = sessionOf(request);
    const { container, name } = file;
    const place = { container, object: name };
    if (bucket !== undefined && (await isJoined(store, bucket, name, plan))) return;
    const listed = await presentSegments(store, container, file.size_bytes, plan);
    const segments = await withUnlisted(store, container, file.size_bytes, plan, listed);
    if (segments.length !== plan.segments) {
      const present = segments.map((one) => Number(one.name.slice(plan.prefix.length)));
      throw new ApiError('conflict', 'The upload is incomplete: segments are missing.', {
        present,
      });
    }
    if (bucket !== undefined) {
      const write = async (onlyIfAbsent: boolean) => {
        const kept = await expectKept(bucket, name, hasRight(user.role, 'manage'));
        const condition = onlyIfAbsent ? onlyOver(undefined) : kept;
        await joinInS3({ store, bucket, key: name, plan, type: file.type }, segments, condition);
      };
      if (file.overwrite) await replacing(context, request, place, write, true);
      else if (await isTaken(store, place)) throw new ApiError('exists', TAKEN);
      else await write(true);
      return;
    }
    const manifest = segments.map(({ name: segment, hash, bytes }) => ({
      path: `/${segmentsOf(container)}/${segment}`,
      etag: hash,
      size_bytes: bytes,
    }));
    const put = (headers: Readonly<Record<string, string>>) =>
      putManifest(store, container, name, JSON.stringify(manifest), {
        'content-type': headerText(file.type),
        ...headers,
      });
    if (file.overwrite) {
      const write = (onlyIfAbsent: boolean) => put(onlyIfAbsent ? { 'if-none-match': '*' } : {});
      await replacing(context, request, place, write, true);
      return;
    }
    // As with small ones: Swift's versioning does not check the condition first.
    const written = !(await isTaken(store, place)) && (await putIfAbsent(put));
    if (!written && !(await isMadeOf(store, container, name, segments))) {
      throw new ApiError('exists', TAKEN);
    }
  };
}

/** A listing may lack what was acknowledged: what it has not is asked for. In order. */
async function withUnlisted(
  store: SwiftAccount,
  container: string,
  sizeBytes: number,
  plan: UploadPlan,
  listed: ReadonlyMap<number, Listed>,
): Promise<Listed[]> {
  const numbers = [...Array(plan.segments).keys()];
  const found = await mapLimited(numbers, HEADS_AT_ONCE, async (index) => {
    const row = listed.get(index);
    if (row !== undefined) return row;
    const name = segmentName(plan, index);
    const place = { container: segmentsOf(container), object: name };
    const { status, headers } = await store.do([200, 204, 404], 'HEAD', place);
    const bytes = Number(headers['content-length']);
    if (status === 404 || bytes !== segmentLength(plan, sizeBytes, index)) return undefined;
    return { name, bytes, hash: (headers.etag ?? '').replaceAll('"', '') };
  });
  return found.filter((one) => one !== undefined);
}

/**
 * Makes the container of the segments, with the access rules of the container that they belong to:
 * users who may read a large object have to read its segments. Where that container is not there, nothing
 * would ever remove them. A user who may only write is not told whether it is, and makes none.
 * @throws ApiError no_such_container
 */
async function makeSegments(
  store: SwiftAccount,
  container: string,
  isVersioned: boolean,
): Promise<void> {
  const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', { container });
  if (status === 404) throw new ApiError('no_such_container', 'The bucket does not exist.');
  const place = { container: segmentsOf(container) };
  const known = await store.do([200, 204, 403, 404], 'HEAD', place);
  if (known.status < 300) return;
  const { read, write } = aclOfSegments(aclLists(headers), isVersioned);
  const policy = headers['x-storage-policy'];
  await store.do([201, 202], 'PUT', {
    ...place,
    headers: {
      ...(read === '' ? {} : { 'x-container-read': headerText(read) }),
      ...(write === '' ? {} : { 'x-container-write': headerText(write) }),
      ...(typeof policy === 'string' ? { 'x-storage-policy': policy } : {}),
    },
  });
}

/** The segments that are there in full, by their numbers, in order. */
async function presentSegments(
  store: SwiftAccount,
  container: string,
  sizeBytes: number,
  plan: UploadPlan,
): Promise<Map<number, ObjectRow>> {
  const present = new Map<number, ObjectRow>();
  for await (const row of walkObjects(store, segmentsOf(container), plan.prefix)) {
    const digits = row.name.slice(plan.prefix.length);
    const index = /^\d{8}$/.test(digits) ? Number(digits) : NaN;
    if (!(index < plan.segments)) continue;
    if (row.bytes === segmentLength(plan, sizeBytes, index)) present.set(index, row);
  }
  return present;
}

/** Whether an object is the manifest of just these segments: its ETag is that of theirs. */
async function isMadeOf(
  store: SwiftAccount,
  container: string,
  object: string,
  segments: readonly Listed[],
): Promise<boolean> {
  const { status, headers } = await store.do([200, 403, 404], 'HEAD', { container, object });
  const etags = segments.map(({ hash }) => hash).join('');
  const etag = createHash('md5').update(etags).digest('hex');
  return (
    status === 200 &&
    headers['x-static-large-object'] !== undefined &&
    headers.etag?.replaceAll('"', '') === etag
  );
}

/** @returns false if another client's object exists by now */
async function putIfAbsent(
  put: (headers: Readonly<Record<string, string>>) => Promise<void>,
): Promise<boolean> {
  try {
    await put({ 'if-none-match': '*' });
    return true;
  } catch (error) {
    if (error instanceof SwiftStatusError && error.status === 412) return false;
    throw error;
  }
}

/** With a heartbeat the status is 202 at once, and the result is in the body. */
async function putManifest(
  store: SwiftAccount,
  container: string,
  object: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const answer = await store.expect([200, 201, 202], 'PUT', {
    container,
    object,
    query: { 'multipart-manifest': 'put', heartbeat: 'on' },
    headers: {
      accept: 'application/json',
      ...headers,
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
    idleMs: MANIFEST_IDLE_MS,
  });
  const text = (await readBody(answer.body, ANSWER_BYTES_MAX)).toString('utf8').trim();
  if (answer.status === 201 && text === '') return;
  const verdict = /"Response Status": ?"(?<status>\d{3})/.exec(text)?.groups?.status;
  if (verdict === undefined) throw new UpstreamError('invalid');
  if (verdict !== '201') throw new SwiftStatusError(Number(verdict), text);
}
