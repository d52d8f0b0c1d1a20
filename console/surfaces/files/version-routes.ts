import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { audited, needRight } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { hasRight } from '../../server/rights.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { StoreInfoCache } from '../../swift/info.js';
import { containerName, objectName, objectPlace, prefixText } from './names.js';
import { openBody, sendBody } from './object-body.js';
import type { VersionKeepers } from './version-keepers.js';
import { versioningOf, type Versioning, type VersioningMode } from './versioning.js';
import {
  deleteVersion,
  listVersions,
  readDeleted,
  restoreVersion,
  versionPlace,
  walkStacked,
  type DeletedObject,
  type ObjectVersion,
} from './versions.js';
import { s3BucketOf, setS3Versioning } from './s3/s3-bucket.js';
import { deleteS3Version, restoreInS3, s3ObjectInfo, type S3ObjectView } from './s3/s3-objects.js';
import { confirmName, expectTyped, version, versionId } from './s3/version-id.js';
import { noSuchContainer, noSuchVersion } from './translate.js';
import { REFUSED } from './write-effect.js';

const DELETE = version.extend({
  confirm_name: confirmName,
  /** Deletes also what is retained in governance mode. */
  bypass: z.boolean().default(false),
});
const LIST = objectPlace.extend({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  /** The id of the last version of a former answer: those that are older than it. */
  after: versionId.or(z.literal('current')).optional(),
});
const DELETED = z.object({
  container: containerName,
  prefix: prefixText.default(''),
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  /** The `next_marker` of a former answer: goes on behind that name. */
  marker: objectName.optional(),
});
const ENABLE = z.strictObject({ name: containerName, enabled: z.boolean() });

const reads = { config: { access: 'read' } } as const;

/** Rows a search for deleted objects reads before it answers: 25 requests to S3, one to Swift. */
const ROWS_READ_MAX = 5000;

/** The versions of one object, the newest first. */
export interface VersionsView {
  readonly mode: VersioningMode | 's3';
  /** Whether new ones are made. */
  readonly active: boolean;
  readonly items: readonly ObjectVersion[];
  /** Whether there may be older ones. */
  readonly truncated: boolean;
}

/** Objects whose latest version says that they were deleted. */
export interface DeletedPage {
  readonly items: readonly DeletedObject[];
  readonly truncated: boolean;
  /** The name behind which there may be more; null at the end. */
  readonly next_marker: string | null;
}

/** Versions of objects, where the store keeps them. */
export function versionRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  info: StoreInfoCache,
  keepers: VersionKeepers,
): void {
  app.get('/api/files/versions', reads, async (request): Promise<VersionsView> => {
    const { container, name, limit, after } = parse(LIST, request.query);
    const { store } = sessionOf(request);
    const bucket = await s3BucketOf(sessionOf(request), container);
    if (bucket !== undefined) {
      const items = await bucket.versionsOf(name, limit, after);
      const active = bucket.versioning === 'Enabled';
      return { mode: 's3', active, items, truncated: items.length === limit };
    }
    const versioning = await versioningIn(store, container);
    const { mode, active } = versioning;
    if (mode === 'none') return { mode, active, items: [], truncated: false };
    const place = { container, object: name };
    const items = await listVersions(store, place, versioning, { max: limit, after });
    return { mode, active, items, truncated: items.length === limit };
  });

  app.get('/api/files/versions/deleted', reads, async (request): Promise<DeletedPage> => {
    const { container, prefix, limit, marker } = parse(DELETED, request.query);
    const { store } = sessionOf(request);
    const bucket = await s3BucketOf(sessionOf(request), container);
    if (bucket === undefined && (await versioningIn(store, container)).mode !== 'stack') {
      throw noVersions();
    }
    const rows =
      bucket?.versions(prefix, { after: marker }) ?? walkStacked(store, container, prefix, marker);
    const found = await readDeleted(rows, { items: limit, rows: ROWS_READ_MAX });
    return { ...found, truncated: found.next_marker !== null };
  });

  app.get('/api/files/versions/body', { config: { access: 'read' } }, async (request, reply) => {
    const { container, name, version_id: id } = parse(version, request.query);
    const { store } = sessionOf(request);
    const bucket = await s3BucketOf(sessionOf(request), container);
    if (bucket !== undefined) {
      const answer = await bucket.get(name, id, request.headers.range).catch(noSuchVersion);
      return sendBody(reply, answer, name, 'attachment');
    }
    const versioning = await expectVersioning(store, container);
    const place = versionPlace({ container, object: name }, versioning, id);
    const answer = await openBody(store, place, request.headers.range);
    return sendBody(reply, answer, name, 'attachment');
  });

  /** The properties of one version in S3, to compare it with another. */
  app.get('/api/files/versions/properties', reads, async (request): Promise<S3ObjectView> => {
    const { container, name, version_id: id } = parse(version, request.query);
    const bucket = await s3BucketOf(sessionOf(request), container);
    if (bucket === undefined) throw noVersions();
    return s3ObjectInfo(bucket, name, id).catch(noSuchVersion);
  });

  app.post('/api/files/versions/restore', auditedRoute('write'), async (request) => {
    const { container, name, version_id: id } = parse(version, request.body);
    const { store, user } = sessionOf(request);
    const bucket = await s3BucketOf(sessionOf(request), container);
    const act = { action: 'files.version_restore', target: `${container}/${name}` };
    const restore =
      bucket === undefined
        ? await expectVersioning(store, container).then(
            (versioning) => () => restoreVersion(store, container, name, versioning, id),
          )
        : () => restoreInS3(bucket, name, id, hasRight(user.role, 'manage'));
    if (bucket === undefined && (await isUnkept(store, container, name))) {
      await needRight(context, request, 'manage', act, REFUSED);
    }
    await audited(context, request, { ...act, details: { version: id } }, () =>
      restore().catch(noSuchVersion),
    );
    return { restored: id };
  });

  const purges = { config: { access: 'manage', audits: 'files.purge_version' } } as const;
  app.post('/api/files/versions/delete', purges, async (request) => {
    const { container, name, version_id: id, ...given } = parse(DELETE, request.body);
    const { store } = sessionOf(request);
    const bucket = await s3BucketOf(sessionOf(request), container);
    const { bypass } = given;
    if (bucket !== undefined) expectTyped(given.confirm_name, name);
    else if (bypass) throw noVersions();
    const act = { action: 'files.purge_version', target: `${container}/${name}` };
    const remove =
      bucket === undefined
        ? await expectVersioning(store, container).then(
            (versioning) => () => deleteVersion(store, container, name, versioning, id),
          )
        : () => deleteS3Version(bucket, name, id, bypass);
    await audited(context, request, { ...act, details: { version: id, bypass } }, () =>
      remove().catch(noSuchVersion),
    );
    return { deleted: id };
  });

  const switches = { config: { access: 'manage', audits: 'files.versioning' } } as const;
  app.put('/api/files/versions', switches, async (request, reply) => {
    const { name, enabled } = parse(ENABLE, request.body);
    const { hasObjectVersioning } = await info.get();
    const { store, s3 } = sessionOf(request);
    const bucket = await s3BucketOf(sessionOf(request), name);
    const byS3 = bucket !== undefined || !hasObjectVersioning ? s3 : undefined;
    if (!hasObjectVersioning && byS3 === undefined) throw noVersions();
    const headers = { 'x-versions-enabled': String(enabled) };
    const act = { action: 'files.versioning', target: name, details: { enabled } };
    await audited(context, request, act, async () => {
      if (byS3 !== undefined) await setS3Versioning(byS3, name, enabled);
      else await store.do([204, 202], 'POST', { container: name, headers });
    });
    keepers.forget(store, name);
    return reply.status(204).send();
  });
}

async function versioningIn(store: SwiftAccount, container: string): Promise<Versioning> {
  const { headers } = await store.do([200, 204], 'HEAD', { container }).catch(noSuchContainer);
  return versioningOf(headers);
}

/** @throws ApiError unsupported_here where no versions are kept */
async function expectVersioning(store: SwiftAccount, container: string): Promise<Versioning> {
  const versioning = await versioningIn(store, container);
  if (versioning.mode === 'none') throw noVersions();
  return versioning;
}

/**
 * Whether an object is no version: it was written before versions were kept, or while they were
 * not. Swift replaces it by a version that comes back, and keeps nothing of it.
 */
async function isUnkept(store: SwiftAccount, container: string, object: string): Promise<boolean> {
  const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', { container, object });
  return status < 300 && headers['x-object-version-id'] === 'null';
}

function noVersions(): ApiError {
  return new ApiError('unsupported_here', 'Versioning is not enabled for this bucket.', {
    needs: 'a bucket that keeps versions',
  });
}
