import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../../server/api-error.js';
import { expectShown } from '../../../server/changes.js';
import { audited, needRight } from '../../../server/audit-record.js';
import { auditedJob } from '../../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { hasRight } from '../../../server/rights.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { containerName, objectName, objectPlace } from '../names.js';
import { s3Failure } from './failure.js';
import { openFromCold, s3Facts, type S3Facts } from './s3-facts.js';
import { expectS3Place } from './s3-bucket.js';
import { rulesLookAtTags, setTags, tagsOf, tagsText, type Tag } from './tags.js';
import { versionId } from './version-id.js';

const OBJECT = objectPlace.extend({ version_id: versionId.optional() });
const TAGGED = z.object({
  container: containerName,
  /** None: the tags of the bucket. */
  name: objectName.optional(),
  version_id: versionId.optional(),
});
/** AWS: "Object tags", "Using cost allocation S3 bucket tags". */
const OBJECT_TAGS_MAX = 10;
const BUCKET_TAGS_MAX = 50;
const tagSet = z
  .array(z.strictObject({ key: z.string().min(1).max(128), value: z.string().max(256) }))
  .max(BUCKET_TAGS_MAX);
const SET_TAGS = TAGGED.extend({ tags: tagSet, was: tagSet })
  .refine(({ name, tags }) => name === undefined || tags.length <= OBJECT_TAGS_MAX, {
    error: `an object has at most ${OBJECT_TAGS_MAX} tags`,
    path: ['tags'],
  })
  .refine(({ tags }) => new Set(tags.map(({ key }) => key)).size === tags.length, {
    error: 'a key appears twice',
    path: ['tags'],
  });
const DAYS_MAX = 36_500;
const COLD = OBJECT.extend({ days: z.int().min(1).max(DAYS_MAX) });

const TAGS_DELETE =
  'This bucket has a lifecycle rule that filters by tag. Changing tags could delete the object, which your role does not allow.';

/** The tags of an object, or of a bucket. */
export interface TagsView {
  readonly tags: readonly Tag[];
}

const reads = { config: { access: 'read' } } as const;

/** Facts of an object in S3 alone: storage class, checksums, tags, and its way out of the cold. */
export function s3ObjectRoutes(app: FastifyInstance, context: ConsoleContext): void {
  app.get('/api/files/s3/object', reads, async (request): Promise<S3Facts> => {
    const { container, name, version_id: id } = parse(OBJECT, request.query);
    const place = await expectS3Place(sessionOf(request), container);
    return s3Facts(place, name, id);
  });

  app.get('/api/files/tags', reads, async (request): Promise<TagsView> => {
    const { container, name, version_id: id } = parse(TAGGED, request.query);
    const place = await expectS3Place(sessionOf(request), container);
    return { tags: await tagsOf(place, { key: name, versionId: id }) };
  });

  app.put('/api/files/tags', auditedRoute('write'), async (request, reply) => {
    const { container, name, version_id: id, tags, was } = parse(SET_TAGS, request.body);
    const place = await expectS3Place(sessionOf(request), container);
    const target = name === undefined ? container : `${container}/${name}`;
    const details = { version: id ?? null, tags: tags.map(({ key, value }) => `${key}=${value}`) };
    const act = { action: 'files.tags', target, details };
    const { changes } = context;
    const { store, user } = sessionOf(request);
    const tagged = { key: name, versionId: id };
    const save = async () => {
      const present = await tagsOf(place, tagged);
      expectShown(was, present, 'the tags', tagsText(present));
      // A rule that is made at this moment is looked for as late as can be.
      const mayDelete = name === undefined || hasRight(user.role, 'manage');
      if (!mayDelete && (await rulesLookAtTags(place)))
        throw new ApiError('forbidden', TAGS_DELETE);
      await setTags(place, tagged, tags).catch(s3Failure);
    };
    if (name === undefined) await needRight(context, request, 'manage', act);
    else if (await rulesLookAtTags(place)) {
      await needRight(context, request, 'manage', act, TAGS_DELETE);
    }
    await audited(context, request, act, () =>
      name === undefined
        ? changes.ofContainer(store, container, save)
        : changes.ofObject(store, { container, object: name }, save),
    );
    return reply.status(204).send();
  });

  /** The bytes may have to come back first, which takes as long as that does. */
  app.post('/api/files/cold/restore', auditedRoute('write'), async (request, reply) => {
    const { container, name, version_id: id, days } = parse(COLD, request.body);
    const place = await expectS3Place(sessionOf(request), container);
    const details = { version: id ?? null, days };
    const act = { action: 'files.cold_restore', target: `${container}/${name}`, details };
    const job = await auditedJob(context, request, act, 'cold_restore', async (control) => {
      control.progress(0, 1);
      await openFromCold(place, name, id, days, control.signal).catch(s3Failure);
      return { succeeded: 1, failed: 0, failures: [] };
    });
    return reply.status(202).send({ job_id: job.id });
  });
}
