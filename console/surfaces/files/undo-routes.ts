import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { namesIn } from '../../server/audit-record.js';
import { auditedJob } from '../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { hasRight } from '../../server/rights.js';
import type { JobControl } from '../../server/jobs.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import type { Session } from '../../server/sessions.js';
import { inLanes, Tally } from './many.js';
import { containerName, NAMES_MAX, objectName, prefixText, trashOf } from './names.js';
import { keeperOf, removerOf, trashOptions } from './remover.js';
import { SegmentCleanup } from './segment-cleanup.js';
import { restoreJob } from './trash.js';
import { transferMany } from './transfer-many.js';
import { Transfers } from './transfers.js';
import { deletedNames, undelete } from './undelete.js';
import { UndoLog, type Done, type Undos } from './undo.js';
import { walkStacked } from './versions.js';

const UNDO = z.strictObject({ job_id: z.string().max(64) });
const UNDELETE = z.strictObject({
  container: containerName,
  names: z.array(objectName).max(NAMES_MAX).default([]),
  /** Empty for all that was deleted in the container. */
  prefixes: z.array(prefixText).max(NAMES_MAX).default([]),
});

type Was<K extends Done['was']> = Extract<Done, { readonly was: K }>;

const writes = auditedRoute('write');

/**
 * Takes back what a job of the same session has done, with the rights that its user has now. What
 * another client has written since then stays: nothing is replaced, and nothing goes back that is
 * not as the job has left it.
 */
export function undoRoutes(app: FastifyInstance, context: ConsoleContext, undos: Undos): void {
  const { now } = context;
  const describe = (error: unknown) => describeError(context, error, 'job');

  app.post('/api/files/undo', writes, async (request, reply) => {
    const { job_id: jobId } = parse(UNDO, request.body);
    const session = sessionOf(request);
    if (context.jobs.get(session, jobId).ended_unix_s === null) {
      throw new ApiError('conflict', 'It has not ended yet.');
    }
    const log = undos.take(session, jobId);
    const { done, container } = log;
    const details = { of: log.action, ...namesIn(done.map(nameOf)) };
    const act = { action: 'files.undo', target: container, details };
    try {
      const job = await auditedJob(context, request, act, 'undo', async (control) => {
        const tally = new Tally(control, describe, done.length);
        await takeBack(context, session, log, tally, control);
        return tally.result;
      });
      return await reply.status(202).send({ job_id: job.id });
    } catch (error) {
      // It was not begun.
      undos.keep(session, jobId, log);
      throw error;
    }
  });

  /** Brings back what was deleted where the container keeps versions, folders as well. */
  app.post('/api/files/versions/undelete', writes, async (request, reply) => {
    const { container, names, prefixes } = parse(UNDELETE, request.body);
    const session = sessionOf(request);
    const details = namesIn([...names, ...prefixes]);
    const act = { action: 'files.version_restore', target: container, details };
    const undo = new UndoLog(act.action, container);
    const job = await auditedJob(context, request, act, 'restore', async (control) => {
      const tally = new Tally(control, describe, prefixes.length === 0 ? names.length : null);
      const restore = undeleterOf(session, container, now);
      await inLanes(deletedIn(session, container, names, prefixes, now), control, ({ name }) =>
        tally.attempt(name, async () => {
          undo.add({ was: 'restored', name, as: await restore(name) });
        }),
      );
      return { ...tally.result, ...undo.result };
    });
    undos.keep(session, job.id, undo);
    return reply.status(202).send({ job_id: job.id });
  });
}

function nameOf(done: Done): string {
  return done.was === 'moved' ? done.to.object : done.name;
}

/** Each failure is told. */
async function takeBack(
  context: ConsoleContext,
  session: Session,
  { container, done }: UndoLog,
  tally: Tally,
  control: JobControl,
): Promise<void> {
  const { now } = context;
  const all = <K extends Done['was']>(was: K) =>
    done.filter((one): one is Was<K> => one.was === was);
  const moved = all('moved');
  const [first] = moved;
  if (first !== undefined) {
    const job = {
      container: first.to.container,
      to_container: first.from.container,
      removes: true,
      onTaken: 'fail',
    } as const;
    const back = moved.map(({ from, to, as }) => ({ name: to.object, from: to, to: from, as }));
    await transferMany(back, false, new Transfers(session, job, tally, now), control);
  }
  const restore = new Transfers(session, restoreJob(container, 'fail', now()), tally, now);
  const trashed = all('trashed').map(({ name, trashName }) => ({
    name,
    from: { container: trashOf(container), object: trashName },
    to: { container, object: name },
  }));
  await transferMany(trashed, false, restore, control);
  const bringBack = undeleterOf(session, container, now);
  await inLanes(all('deleted'), control, ({ name, as }) =>
    tally.attempt(name, () => bringBack(name, as)),
  );
  const cleanup = new SegmentCleanup(session.store, context.pause, now);
  const trash = trashOptions(context, session);
  const remove = removerOf(session, container, 'trash', trash, cleanup, now);
  await inLanes(all('restored'), control, ({ name, as }) =>
    tally.attempt(name, () => remove({ name, as })),
  );
}

function undeleterOf(session: Session, container: string, now: () => number) {
  const kept = keeperOf(session, container, now);
  const mayDestroy = hasRight(session.user.role, 'manage');
  return async (name: string, as?: string) =>
    undelete(session, container, name, await kept(), mayDestroy, as);
}

async function* deletedIn(
  session: Session,
  container: string,
  names: readonly string[],
  prefixes: readonly string[],
  now: () => number,
): AsyncGenerator<{ readonly name: string }> {
  for (const name of names) yield { name };
  const { bucket } = await keeperOf(session, container, now)();
  for (const prefix of prefixes) {
    yield* deletedNames(bucket?.versions(prefix) ?? walkStacked(session.store, container, prefix));
  }
}
