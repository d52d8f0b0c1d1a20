import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { expectShown } from '../../server/changes.js';
import { audited, needRight } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { hasRight } from '../../server/rights.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import { headerText, textOfHeader } from '../../swift/login.js';
import { contentType, objectPlace, refuseTrash } from './names.js';
import { changedMeta, shownMeta } from './meta-values.js';
import {
  expectNoS3Version,
  isServiceMeta,
  metaHeaders,
  objectInfo,
  type ObjectType,
} from './object-info.js';
import { s3BucketOf, type S3Bucket } from './s3/s3-bucket.js';
import { expectKept, replaceS3Meta, s3ObjectInfo, type S3VersionView } from './s3/s3-objects.js';
import { noSuchObject } from './translate.js';

/** Limits of metadata entered here. What S3 clients wrote may exceed them, and is sent back unchanged. */
const META_COUNT_MAX = 90;
const META_BYTES_MAX = 4096;
const VALUE_BYTES_MAX = 256;
/** The characters of a header's name (RFC 9110, 5.6.2): S3 clients use all of them. */
const META_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** The most that a request of S3 can hold in all. */
const META_VALUE_LENGTH_MAX = 8192;

const DAY_S = 86_400;

const PATCH = z.strictObject({
  ...objectPlace.shape,
  /** All of it: what is left out is gone. */
  meta: z.record(z.string().regex(META_NAME), z.string().max(META_VALUE_LENGTH_MAX)),
  content_type: contentType.optional(),
  /** Null: the object does not expire. */
  delete_at_unix_s: z.int().positive().nullable().optional(),
  /** The properties that the page was shown. */
  was: z.strictObject({
    etag: z.string().max(256),
    last_modified: z.string().max(64),
    content_type: z.string().max(4096),
    delete_at_unix_s: z.number().nullable(),
    meta: z.record(z.string(), z.string()),
  }),
});

type Patch = z.infer<typeof PATCH>;

/** The known properties of an object. */
export interface ObjectView {
  readonly container: string;
  readonly name: string;
  /** `marker` is the object of a folder. */
  readonly type: ObjectType | 'marker';
  readonly bytes: number;
  readonly etag: string;
  readonly content_type: string;
  readonly last_modified: string;
  /** Null: it does not expire. */
  readonly delete_at_unix_s: number | null;
  /** Headers that it is sent with, such as `cache-control`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The prefix of the segments of a dynamic large object: `container/prefix`. */
  readonly segments: string | null;
  readonly meta: Readonly<Record<string, string>>;
  /** Null where S3 keeps no versions of it. */
  readonly s3: S3VersionView | null;
}

/** Properties of an object, and their change. */
export function objectRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/object', reads, async (request): Promise<ObjectView> => {
    const { container, name } = parse(objectPlace, request.query);
    const bucket = await s3BucketOf(sessionOf(request), container);
    if (bucket !== undefined) {
      const found = await s3ObjectInfo(bucket, name);
      return { container, name, ...found, meta: shownMeta(found.meta) };
    }
    const { store } = sessionOf(request);
    const info = await objectInfo(store, container, name).catch(noSuchObject);
    const { 'x-object-manifest': manifest, ...headers } = info.kept;
    return {
      container,
      name,
      type: info.contentType === 'application/directory' ? 'marker' : info.type,
      bytes: info.bytes,
      etag: info.etag,
      content_type: info.contentType,
      last_modified: info.lastModified,
      delete_at_unix_s: info.deleteAtUnixS,
      headers,
      segments: manifest === undefined ? null : textOfHeader(manifest),
      meta: shownMeta(info.meta),
      s3: null,
    };
  });

  /** A POST of Swift replaces all metadata and drops the expiry: both are sent again. */
  app.patch('/api/files/object', auditedRoute('write'), async (request, reply) => {
    const given = parse(PATCH, request.body);
    const { store } = sessionOf(request);
    const { container, name } = given;
    refuseTrash(container);
    await context.changes.ofObject(store, { container, object: name }, () => save(request, given));
    return reply.status(204).send();
  });

  const save = async (request: FastifyRequest, given: Patch) => {
    const session = sessionOf(request);
    const { store, user } = session;
    const { container, name } = given;
    const bucket = await s3BucketOf(session, container);
    if (bucket !== undefined) {
      await saveInS3(bucket, given, hasRight(user.role, 'manage'));
      return;
    }
    const info = await objectInfo(store, container, name);
    expectNoS3Version(info);
    const meta = shownMeta(info.meta);
    expectObjectShown(given, {
      etag: info.etag,
      last_modified: info.lastModified,
      content_type: info.contentType,
      delete_at_unix_s: info.deleteAtUnixS,
      meta,
    });
    checkMeta(given.meta, meta);
    const former = info.deleteAtUnixS;
    const deleteAt = given.delete_at_unix_s === undefined ? former : given.delete_at_unix_s;
    const write = () =>
      // A link answers that its target is elsewhere, and keeps what it was told.
      store.do([202, 307], 'POST', {
        container,
        object: name,
        headers: {
          ...info.kept,
          ...metaHeaders(changedMeta(given.meta, info.meta)),
          'content-type': headerText(given.content_type ?? info.contentType),
          ...(deleteAt === null ? {} : { 'x-delete-at': String(deleteAt) }),
        },
      });
    if (deleteAt === former) await write();
    else {
      const details = { expires_unix_s: deleteAt, before_unix_s: former };
      const act = { action: 'files.expiry', target: `${container}/${name}`, details };
      if (isSooner(deleteAt, former, context)) {
        await needRight(context, request, 'manage', act, TOO_SOON);
      }
      await audited(context, request, act, write);
    }
  };
}

/** S3 has no expiry of single objects; other metadata makes a new version. */
async function saveInS3(bucket: S3Bucket, given: Patch, mayDestroy: boolean): Promise<void> {
  const { name, meta, content_type: type, delete_at_unix_s: deleteAt } = given;
  if (typeof deleteAt === 'number') {
    const message = 'In buckets with S3 versioning, objects expire only by lifecycle rules.';
    throw new ApiError('unsupported_here', message);
  }
  const found = await s3ObjectInfo(bucket, name);
  const info = { ...found, meta: shownMeta(found.meta) };
  expectObjectShown(given, info);
  checkMeta(meta, info.meta);
  await expectKept(bucket, name, mayDestroy);
  await replaceS3Meta(bucket, name, meta, type, info.etag);
}

/** @throws ApiError conflict where the object is not what the page was shown */
function expectObjectShown({ was }: Patch, info: Patch['was']): void {
  const { etag, last_modified, content_type, delete_at_unix_s, meta } = info;
  const present = { etag, last_modified, content_type, delete_at_unix_s, meta };
  const at = delete_at_unix_s;
  const expires = at === null ? '' : `, expires ${new Date(at * 1000).toISOString()}`;
  const entries = Object.entries(meta).map(([name, value]) => `${name}=${value}`);
  const text = [content_type, ...entries].join(', ').slice(0, WORDS_LENGTH_MAX);
  expectShown(was, present, 'the object', `written ${last_modified}${expires}; ${text}`);
}

const WORDS_LENGTH_MAX = 500;

const TOO_SOON =
  'Expired objects are permanently deleted. Your role cannot set an expiry earlier than the trash retention period.';

/** Tells whether an expiry comes sooner than the former one, and sooner than the trash would purge. */
function isSooner(
  deleteAt: number | null,
  former: number | null,
  { now, options }: ConsoleContext,
): boolean {
  if (deleteAt === null || (former !== null && deleteAt >= former)) return false;
  return deleteAt < Math.floor(now() / 1000) + options.trashDays * DAY_S;
}

type Meta = Readonly<Record<string, string>>;

/**
 * Metadata that is there already may be as large as it is, if nothing is added to it.
 * @throws ApiError meta_too_large; invalid_argument for metadata that the console writes itself
 */
function checkMeta(meta: Meta, former: Meta): void {
  const before = new Map(Object.entries(former));
  const changed = Object.entries(meta).filter(
    ([name, value]) => before.get(name.toLowerCase()) !== value,
  );
  const service = changed.find(([name]) => isServiceMeta(name));
  if (service !== undefined) {
    const message = `“${service[0]}” is written by the trash itself: take another name.`;
    throw new ApiError('invalid_argument', message);
  }
  const long = changed.find(([, value]) => Buffer.byteLength(value) > VALUE_BYTES_MAX);
  if (long !== undefined) {
    const message = `The value of “${long[0]}” exceeds ${VALUE_BYTES_MAX} bytes.`;
    throw new ApiError('meta_too_large', message);
  }
  const count = Math.max(META_COUNT_MAX, before.size);
  const bytes = Math.max(META_BYTES_MAX, bytesOf(former));
  if (Object.keys(meta).length <= count && bytesOf(meta) <= bytes) return;
  throw new ApiError('meta_too_large', 'Metadata is limited to 90 entries and 4096 bytes.');
}

function bytesOf(meta: Meta): number {
  return Object.entries(meta).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
}
