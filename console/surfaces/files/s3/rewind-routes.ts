import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../../server/app-errors.js';
import { ApiError } from '../../../server/api-error.js';
import { auditedJob } from '../../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute, readRoute } from '../../../server/route-options.js';
import type { Session } from '../../../server/sessions.js';
import { fresh } from '../fresh.js';
import { forMany } from '../many.js';
import { containerName, prefixText } from '../names.js';
import { planRewind, takeStep, type RewindPlan } from './rewind.js';
import { expectS3Bucket, type S3Bucket } from './s3-bucket.js';
import { confirmName, expectTyped } from './version-id.js';

const PREVIEW = z.strictObject({
  container: containerName,
  prefix: prefixText.default(''),
  at_unix_ms: z.int().positive(),
});
const REWIND = z.strictObject({
  container: containerName,
  plan_id: z.uuid(),
  /** The container's name, typed. */
  confirm_name: confirmName,
});
const IN_THE_FUTURE = 'This time is in the future. Choose a time in the past.';
const GONE = 'This preview is no longer available. Create a new one.';
/** Steps that a preview shows. */
const SHOWN_MAX = 500;

/** Takes the objects below a prefix back to what they were at a time: a preview, and then a job. */
export function rewindRoutes(app: FastifyInstance, context: ConsoleContext): void {
  /** The last preview of each session; it goes with the session. */
  const plans = new WeakMap<Session, RewindPlan>();

  app.post('/api/files/rewind/preview', readRoute('write'), async (request, reply) => {
    const { container, prefix, at_unix_ms: atMs } = parse(PREVIEW, request.body);
    const session = sessionOf(request);
    if (atMs > context.now()) throw new ApiError('invalid_argument', IN_THE_FUTURE);
    const bucket = await expectEnabled(session, container);
    const job = context.jobs.start(session, 'rewind_preview', async (control) => {
      const plan = await planRewind(bucket, prefix, atMs, control);
      plans.set(session, plan);
      const { steps, id, ...told } = plan;
      return { ...told, plan_id: id, steps: steps.slice(0, SHOWN_MAX) };
    });
    return reply.status(202).send({ job_id: job.id });
  });

  app.post('/api/files/rewind', auditedRoute('write'), async (request, reply) => {
    const { container, plan_id: id, confirm_name: typed } = parse(REWIND, request.body);
    expectTyped(typed, container);
    const session = sessionOf(request);
    const plan = plans.get(session);
    if (plan?.id !== id || plan.container !== container) {
      throw new ApiError('conflict', GONE);
    }
    await expectEnabled(session, container);
    if (plans.get(session) !== plan) throw new ApiError('conflict', GONE);
    const { prefix, at_unix_ms: atMs, restores, deletes, steps } = plan;
    const at = new Date(atMs).toISOString();
    const details = { prefix, at, restores, deletes };
    const act = { action: 'files.rewind', target: container, details };
    const describe = (error: unknown) => describeError(context, error, 'job');
    // Once: a second click finds none.
    plans.delete(session);
    const enabled = fresh(context.now, () => expectEnabled(session, container));
    const job = await auditedJob(context, request, act, 'rewind', (control) =>
      forMany(steps, control, describe, async (step) => takeStep(await enabled(), step)),
    );
    return reply.status(202).send({ job_id: job.id });
  });
}

/** @throws ApiError conflict while versioning is suspended: what is written then replaces versions */
async function expectEnabled(session: Session, container: string): Promise<S3Bucket> {
  const bucket = await expectS3Bucket(session, container);
  if (bucket.versioning === 'Enabled') return bucket;
  throw new ApiError('conflict', 'Versioning is suspended. Enable it first.');
}
