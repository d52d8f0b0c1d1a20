import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { namesIn } from '../../server/audit-record.js';
import { auditedJob } from '../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import { SwiftStatusError } from '../../swift/errors.js';
import { forMany, Tally } from './many.js';
import { containerName, NAMES_MAX, objectName, trashOf } from './names.js';
import { purge } from './purge.js';
import { SegmentCleanup } from './segment-cleanup.js';
import { parseTrashName, restoreJob, trashTransfers } from './trash.js';
import { TrashListing, type TrashView } from './trash-listing.js';
import { transferMany, Transfers } from './transfers.js';

const TRASH = z.object({
  container: containerName,
  limit: z.coerce.number().int().min(1).max(NAMES_MAX).default(1000),
});
const names = z.array(objectName).min(1).max(NAMES_MAX);
const RESTORE = z.strictObject({
  container: containerName,
  trash_names: names,
  on_conflict: z.enum(['fail', 'rename', 'replace']).default('fail'),
});
const PURGE = z.strictObject({ container: containerName, trash_names: names });

/** What was thrown away: to look at, to bring back, to delete for good. */
export function trashRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { now } = context;
  const describe = (error: unknown) => describeError(context, error, 'job');
  const listing = new TrashListing(now);

  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/trash', reads, async (request): Promise<TrashView> => {
    const { container, limit } = parse(TRASH, request.query);
    try {
      return await listing.list(sessionOf(request).store, container, limit);
    } catch (error) {
      // Nothing was ever thrown away here.
      if (!(error instanceof SwiftStatusError && error.status === 404)) throw error;
      return { items: [], truncated: false };
    }
  });

  app.post('/api/files/trash/restore', auditedRoute('write'), async (request, reply) => {
    const {
      container,
      trash_names: trashNames,
      on_conflict: choice,
    } = parse(RESTORE, request.body);
    const session = sessionOf(request);
    const { store } = session;
    const details = { ...namesIn(trashNames), on_conflict: choice };
    const act = { action: 'files.restore', target: container, details };
    const job = await auditedJob(context, request, act, 'restore', async (control) => {
      const tally = new Tally(control, describe, trashNames.length);
      const restore = restoreJob(container, choice, now());
      const work = new Transfers(session, restore, tally, now);
      const entries = trashTransfers(store, container, trashNames, tally);
      await transferMany(entries, false, work, control);
      return tally.result;
    });
    return reply.status(202).send({ job_id: job.id });
  });

  const purges = { config: { access: 'manage', audits: 'files.purge' } } as const;
  app.post('/api/files/trash/purge', purges, async (request, reply) => {
    const { container, trash_names: trashNames } = parse(PURGE, request.body);
    const { store } = sessionOf(request);
    const target = trashOf(container);
    const act = { action: 'files.purge', target, details: namesIn(trashNames) };
    const cleanup = new SegmentCleanup(store, context.pause, now);
    const job = await auditedJob(context, request, act, 'purge', (control) =>
      forMany(
        itemsOf(trashNames),
        control,
        describe,
        ({ name }) => {
          if (parseTrashName(name) === undefined)
            throw new ApiError('bad_name', 'This is not a valid trash item name.');
          return purge(store, target, name, cleanup);
        },
        cleanup.end,
      ),
    );
    return reply.status(202).send({ job_id: job.id });
  });
}

function itemsOf(all: readonly string[]): { readonly name: string }[] {
  return all.map((name) => ({ name }));
}
