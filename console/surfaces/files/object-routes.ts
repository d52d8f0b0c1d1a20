import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { sessionOf } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { headerText, textOfHeader } from '../../swift/login.js';
import { containerName, objectName, objectPlace } from './names.js';
import { metaHeaders, objectInfo } from './object-info.js';
import { translate } from './translate.js';

const META_COUNT_MAX = 90;
const META_BYTES_MAX = 4096;

const PATCH = z.strictObject({
  container: containerName,
  name: objectName,
  /** All of it: what is left out is gone. */
  meta: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,128}$/), z.string().max(256)),
  content_type: z
    .string()
    .regex(/^[\x20-\x7e]{1,256}$/)
    .optional(),
  /** Null: the object does not expire. */
  delete_at_unix_s: z.int().positive().nullable().optional(),
});

/** Properties of an object, and their change. */
export function objectRoutes(app: FastifyInstance): void {
  app.get('/api/files/object', { config: { access: 'read' } }, async (request) => {
    const { container, name } = parse(objectPlace, request.query);
    const info = await objectInfo(sessionOf(request).store, container, name).catch(
      (error: unknown) => {
        throw translate(error, 404, 'no_such_object', 'There is no such object.');
      },
    );
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
      /** What the segments of a dynamic large object begin with: `container/prefix`. */
      segments: manifest === undefined ? null : textOfHeader(manifest),
      meta: info.meta,
    };
  });

  /** A POST of Swift replaces all metadata and drops the expiry: both are sent again. */
  app.patch('/api/files/object', { config: { access: 'write' } }, async (request, reply) => {
    const given = parse(PATCH, request.body);
    checkSize(given.meta);
    const { store } = sessionOf(request);
    const { container, name } = given;
    const info = await objectInfo(store, container, name);
    const deleteAt =
      given.delete_at_unix_s === undefined ? info.deleteAtUnixS : given.delete_at_unix_s;
    // A link answers that its target is elsewhere, and keeps what it was told.
    await store.do([202, 307], 'POST', {
      container,
      object: name,
      headers: {
        ...info.kept,
        ...metaHeaders(given.meta),
        'content-type': headerText(given.content_type ?? info.contentType),
        ...(deleteAt === null ? {} : { 'x-delete-at': String(deleteAt) }),
      },
    });
    return reply.status(204).send();
  });
}

/** @throws ApiError meta_too_large */
function checkSize(meta: Readonly<Record<string, string>>): void {
  const entries = Object.entries(meta);
  const bytes = entries.reduce((sum, [k, v]) => sum + k.length + Buffer.byteLength(v), 0);
  if (entries.length <= META_COUNT_MAX && bytes <= META_BYTES_MAX) return;
  throw new ApiError('meta_too_large', 'At most 90 entries and 4096 bytes of metadata.');
}
