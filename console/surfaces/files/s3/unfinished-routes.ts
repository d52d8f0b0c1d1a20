import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../../server/app-errors.js';
import { audited } from '../../../server/audit-record.js';
import { auditedJob } from '../../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { forMany } from '../many.js';
import { containerName, objectName, objectPlace, prefixText } from '../names.js';
import { expectS3Place } from './s3-bucket.js';
import { abortUpload } from './s3-uploads.js';
import { uploadsBefore, uploadsPage, type UploadsPage } from './unfinished.js';

const uploadId = z.string().regex(/^[A-Za-z0-9._~-]{1,256}$/, { error: 'an id of an upload' });
const LIST = z
  .object({
    container: containerName,
    prefix: prefixText.default(''),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    after_name: objectName.optional(),
    after_id: uploadId.optional(),
  })
  .refine(({ after_name: name, after_id: id }) => (name === undefined) === (id === undefined), {
    error: 'both markers or none',
  });
const ABORT = objectPlace.strict().extend({ upload_id: uploadId });
/** An upload that goes on is younger than that: aborting it would lose its parts. */
const HOURS_MIN = 1;
const HOURS_MAX = 24 * 36_500;
const ABORT_OLD = z.strictObject({
  container: containerName,
  prefix: prefixText.default(''),
  older_than_h: z.number().min(HOURS_MIN).max(HOURS_MAX),
});

const HOUR_MS = 3_600_000;

/** Multipart uploads that were begun and never finished: their parts take room until they go. */
export function unfinishedRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/unfinished', reads, async (request): Promise<UploadsPage> => {
    const given = parse(LIST, request.query);
    const place = await expectS3Place(sessionOf(request), given.container);
    const { after_name: name, after_id: id } = given;
    const after = name === undefined || id === undefined ? undefined : { name, upload_id: id };
    return uploadsPage(place, given.prefix, after, given.limit);
  });

  const aborts = { config: { access: 'manage', audits: 'files.upload_abort' } } as const;
  app.post('/api/files/unfinished/abort', aborts, async (request, reply) => {
    const { container, name, upload_id: id } = parse(ABORT, request.body);
    const place = await expectS3Place(sessionOf(request), container);
    const details = { upload_id: id };
    const act = { action: 'files.upload_abort', target: `${container}/${name}`, details };
    await audited(context, request, act, () => abortUpload(place, name, id));
    return reply.status(204).send();
  });

  app.post('/api/files/unfinished/abort-old', aborts, async (request, reply) => {
    const { container, prefix, older_than_h: hours } = parse(ABORT_OLD, request.body);
    const place = await expectS3Place(sessionOf(request), container);
    const details = { prefix, older_than_h: hours };
    const act = { action: 'files.upload_abort', target: container, details };
    const describe = (error: unknown) => describeError(context, error, 'job');
    const job = await auditedJob(context, request, act, 'upload_abort', (control) => {
      const old = uploadsBefore(place, prefix, context.now() - hours * HOUR_MS);
      return forMany(old, control, describe, ({ name, upload_id: id }) =>
        abortUpload(place, name, id),
      );
    });
    return reply.status(202).send({ job_id: job.id });
  });
}
