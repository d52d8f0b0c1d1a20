import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { namesIn } from '../../server/audit-record.js';
import { auditedJob } from '../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import type { SwiftAccount } from '../../swift/account.js';
import { forMany, Tally } from './many.js';
import { containerName, NAMES_MAX, objectName, prefixText, trashOf } from './names.js';
import { purge } from './purge.js';
import { SegmentCleanup } from './segment-cleanup.js';
import { parseTrashName, restoreJob, trashTransfers, walkTrash } from './trash.js';
import { TrashListing, type TrashView } from './trash-listing.js';
import { transferMany } from './transfer-many.js';
import { Transfers } from './transfers.js';
import { orMissing } from './translate.js';
import { UndoLog, type Undos } from './undo.js';

const TRASH = z.object({
  container: containerName,
  limit: z.coerce.number().int().min(1).max(NAMES_MAX).default(1000),
  /** `folder`: what is in the folder `prefix`, and one row for each folder in it. */
  by: z.enum(['deletion', 'folder']).default('deletion'),
  prefix: prefixText.default(''),
});
const CHOICE = z.strictObject({
  container: containerName,
  trash_names: z.array(objectName).max(NAMES_MAX).default([]),
  /** Prefixes of the names before the deletion; empty for all of the trash. */
  prefixes: z.array(prefixText).max(NAMES_MAX).default([]),
});
const RESTORE = CHOICE.extend({
  on_conflict: z.enum(['fail', 'rename', 'replace']).default('fail'),
}).refine(isSomething);
const PURGE = CHOICE.refine(isSomething);

type Choice = z.infer<typeof CHOICE>;

function isSomething({ trash_names: names, prefixes }: Choice): boolean {
  return names.length + prefixes.length > 0;
}

/** As the audit log shows it. */
function detailsOf({ trash_names: names, prefixes }: Choice) {
  return namesIn([...names, ...prefixes.map((prefix) => (prefix === '' ? 'all' : prefix))]);
}

/** The trash: to look at, to bring objects back, to delete them for good. */
export function trashRoutes(app: FastifyInstance, context: ConsoleContext, undos: Undos): void {
  const { now } = context;
  const describe = (error: unknown) => describeError(context, error, 'job');
  const listing = new TrashListing(now);

  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/trash', reads, async (request): Promise<TrashView> => {
    const { container, limit, by, prefix } = parse(TRASH, request.query);
    const folder = by === 'folder' ? prefix : undefined;
    const found = listing.list(sessionOf(request).store, container, limit, folder);
    // Where nothing was ever thrown away there is no container.
    return (await found.catch(orMissing)) ?? { items: [], folders: [], truncated: false };
  });

  app.post('/api/files/trash/restore', auditedRoute('write'), async (request, reply) => {
    const given = parse(RESTORE, request.body);
    const { container, trash_names: trashNames, on_conflict: choice } = given;
    const session = sessionOf(request);
    const { store } = session;
    const details = { ...detailsOf(given), on_conflict: choice };
    const act = { action: 'files.restore', target: container, details };
    const undo = new UndoLog(act.action, container);
    const job = await auditedJob(context, request, act, 'restore', async (control) => {
      const isCounted = given.prefixes.length === 0;
      const tally = new Tally(control, describe, isCounted ? trashNames.length : null);
      const restore = restoreJob(container, choice, now());
      const work = new Transfers(session, restore, tally, now, undo);
      const entries = trashTransfers(store, container, trashNames, tally);
      await transferMany(entries, false, work, control);
      const below = walkTrash(store, container, given.prefixes, now(), true);
      await transferMany(below, true, work, control);
      return { ...tally.result, ...undo.result };
    });
    undos.keep(session, job.id, undo);
    return reply.status(202).send({ job_id: job.id });
  });

  const purges = { config: { access: 'manage', audits: 'files.purge' } } as const;
  app.post('/api/files/trash/purge', purges, async (request, reply) => {
    const given = parse(PURGE, request.body);
    const { container } = given;
    const { store } = sessionOf(request);
    const target = trashOf(container);
    const act = { action: 'files.purge', target, details: detailsOf(given) };
    const cleanup = new SegmentCleanup(store, context.pause, now);
    const job = await auditedJob(context, request, act, 'purge', (control) =>
      forMany(
        itemsOf(store, given, now()),
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

/** @param untilMs - the time of the question: what was thrown away later stays */
function itemsOf(
  store: SwiftAccount,
  { container, trash_names: names, prefixes }: Choice,
  untilMs: number,
): { readonly name: string }[] | AsyncGenerator<{ readonly name: string }> {
  if (prefixes.length === 0) return names.map((name) => ({ name }));
  return (async function* () {
    for (const name of names) yield { name };
    for await (const { from } of walkTrash(store, container, prefixes, untilMs, false)) {
      yield { name: from.object };
    }
  })();
}
