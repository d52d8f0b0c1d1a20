import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import { expectShown } from '../../../server/changes.js';
import { audited } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { containerName, namedContainer } from '../names.js';
import { noSuchVersion } from '../translate.js';
import {
  BUCKET_LOCK,
  bucketLock,
  defaultText,
  NEW_RETENTION,
  RETENTION,
  type BucketLock,
  setBucketLock,
  setLegalHold,
  setRetention,
} from './bucket-lock.js';
import { s3Failure } from './failure.js';
import { expectS3Bucket, expectS3Place } from './s3-bucket.js';
import { confirmName, expectTyped, version } from './version-id.js';

const BUCKET = z.strictObject({
  name: containerName,
  default_retention: NEW_RETENTION,
  was: BUCKET_LOCK,
  confirm_name: confirmName,
});
const SET_RETENTION = version.extend({
  retention: RETENTION.nullable(),
  /** Changes or removes a retention in governance mode. */
  bypass: z.boolean().default(false),
  confirm_name: confirmName,
});
const HOLD = version.extend({ on: z.boolean() });

/**
 * Object Lock. What cannot be taken back, and what gets past a retention, needs the name, typed: of
 * the bucket, or of the object.
 */
export function lockRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/lock', reads, async (request): Promise<BucketLock> => {
    const { name } = parse(namedContainer, request.query);
    return bucketLock(await expectS3Place(sessionOf(request), name));
  });

  const configures = { config: { access: 'manage', audits: 'files.object_lock' } } as const;
  app.put('/api/files/lock', configures, async (request, reply) => {
    const { name, default_retention: retention, was, ...given } = parse(BUCKET, request.body);
    const place = await expectS3Place(sessionOf(request), name);
    const before = await bucketLock(place);
    // Neither can be taken back.
    if (!before.enabled || retention?.mode === 'COMPLIANCE') expectTyped(given.confirm_name, name);
    if (place.versioning !== 'Enabled') {
      const message = 'Object Lock requires versioning. Enable versioning first.';
      throw new ApiError('conflict', message);
    }
    const details = { default_retention: defaultText(retention), before: lockText(before) };
    const { store } = sessionOf(request);
    const save = async () => {
      const present = await bucketLock(place);
      expectShown(was, present, 'Object Lock', lockText(present));
      await setBucketLock(place, retention).catch(s3Failure);
    };
    await audited(context, request, { action: 'files.object_lock', target: name, details }, () =>
      context.changes.ofContainer(store, name, save),
    );
    return reply.status(204).send();
  });

  const retains = { config: { access: 'manage', audits: 'files.retention' } } as const;
  app.put('/api/files/versions/retention', retains, async (request, reply) => {
    const given = parse(SET_RETENTION, request.body);
    const { container, name, version_id: id, retention, bypass } = given;
    if (bypass || retention?.mode === 'COMPLIANCE') expectTyped(given.confirm_name, name);
    const bucket = await expectS3Bucket(sessionOf(request), container);
    const details = {
      version: id,
      mode: retention?.mode ?? null,
      until_unix_s: retention?.until_unix_s ?? null,
      bypass,
    };
    const act = { action: 'files.retention', target: `${container}/${name}`, details };
    await audited(context, request, act, () =>
      setRetention(bucket, name, id, retention, bypass).catch(noSuchVersion).catch(s3Failure),
    );
    return reply.status(204).send();
  });

  const holds = { config: { access: 'manage', audits: 'files.legal_hold' } } as const;
  app.put('/api/files/versions/legal-hold', holds, async (request, reply) => {
    const { container, name, version_id: id, on } = parse(HOLD, request.body);
    const bucket = await expectS3Bucket(sessionOf(request), container);
    const details = { version: id, on };
    const act = { action: 'files.legal_hold', target: `${container}/${name}`, details };
    await audited(context, request, act, () =>
      setLegalHold(bucket, name, id, on).catch(noSuchVersion).catch(s3Failure),
    );
    return reply.status(204).send();
  });
}

function lockText({ enabled, default_retention: given }: BucketLock): string {
  return enabled ? defaultText(given) : 'off';
}
