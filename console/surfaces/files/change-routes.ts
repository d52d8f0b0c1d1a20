import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { needRight, namesIn } from '../../server/audit-record.js';
import { auditedJob } from '../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import type { Session } from '../../server/sessions.js';
import type { SwiftAccount } from '../../swift/account.js';
import { forMany, Tally } from './many.js';
import { containerName, NAMES_MAX, objectName, refuseTrash } from './names.js';
import { walkObjects } from './swift-listing.js';
import { SegmentCleanup } from './segment-cleanup.js';
import { removerOf, trashOptions, type RemoveMode } from './remover.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { confirmName, expectTyped } from './s3/version-id.js';
import { isApart, type Transfer } from './transfer-plan.js';
import { transferMany } from './transfer-many.js';
import { Transfers } from './transfers.js';
import { UndoLog, type Undos } from './undo.js';

const names = z.array(objectName).max(NAMES_MAX);
const DELETE = z.strictObject({
  container: containerName,
  names: names.default([]),
  prefixes: names.default([]),
  mode: z.enum(['trash', 'purge']),
  /** For what S3 keeps versions of and is purged: the one name, or the container's. */
  confirm_name: confirmName,
});
const COPY = z.strictObject({
  container: containerName,
  to_container: containerName,
  /** A name that ends in a slash stands for all below it. */
  items: z
    .array(z.strictObject({ name: objectName, to_name: objectName }))
    .min(1)
    .max(NAMES_MAX),
  overwrite: z.boolean().default(false),
});

type Copies = z.infer<typeof COPY>;

interface Item {
  readonly name: string;
}

/** The audit record's name: where S3 keeps versions nothing goes to the trash, but behind a marker. */
async function deletionName(
  session: Session,
  container: string,
  mode: RemoveMode,
): Promise<string> {
  if (mode === 'purge') return 'files.purge';
  // The job says what is wrong with S3.
  const bucket = await s3BucketOf(session, container).catch(() => undefined);
  return bucket === undefined ? 'files.trash' : 'files.delete';
}

/** Deletion, copies and moves: each is a job with a result for each name. */
export function changeRoutes(app: FastifyInstance, context: ConsoleContext, undos: Undos): void {
  const { now } = context;
  const describe = (error: unknown) => describeError(context, error, 'job');

  app.post('/api/files/delete', auditedRoute('write'), async (request, reply) => {
    const given = parse(DELETE, request.body);
    const { container, mode } = given;
    const details = namesIn([...given.names, ...given.prefixes]);
    const session = sessionOf(request);
    const act = {
      action: await deletionName(session, container, mode),
      target: container,
      details,
    };
    if (mode === 'purge') {
      await needRight(context, request, 'manage', act);
      const [name, ...others] = [...given.names, ...given.prefixes];
      const isOne = name !== undefined && others.length === 0;
      if ((await s3BucketOf(session, container)) !== undefined) {
        const typed = given.confirm_name;
        if (!(isOne && typed === name)) expectTyped(typed, container);
      }
    }
    const { store } = session;
    const undo = new UndoLog(act.action, container);
    const job = await auditedJob(context, request, act, 'delete', async (control) => {
      const trash = trashOptions(context, session);
      const cleanup = new SegmentCleanup(store, context.pause, now);
      const remove = removerOf(session, container, mode, trash, cleanup, now, undo);
      const items = expand(store, container, given);
      const result = await forMany(items, control, describe, remove, cleanup.end);
      return { ...result, ...undo.result };
    });
    undos.keep(session, job.id, undo);
    return reply.status(202).send({ job_id: job.id });
  });

  for (const kind of ['copy', 'move'] as const) {
    app.post(`/api/files/${kind}`, auditedRoute('write'), async (request, reply) => {
      const given = parse(COPY, request.body);
      const session = sessionOf(request);
      const { store } = session;
      const { container, to_container: toContainer, overwrite } = given;
      refuseIntoItself(given);
      refuseTrash(toContainer);
      const details = {
        ...namesIn(given.items.map(({ name }) => name)),
        to: toContainer,
        overwrite,
      };
      const act = { action: `files.${kind}`, target: container, details };
      const undo = kind === 'move' ? new UndoLog(act.action, container) : undefined;
      const job = await auditedJob(context, request, act, kind, async (control) => {
        const tally = new Tally(control, describe);
        const onTaken = overwrite ? 'replace' : 'fail';
        const transfer = {
          container,
          to_container: toContainer,
          removes: kind === 'move',
          onTaken,
        } as const;
        const work = new Transfers(session, transfer, tally, now, undo);
        const free = isApart(given.items, container === toContainer);
        await transferMany(transfersOf(store, given), free, work, control);
        return { ...tally.result, ...undo?.result };
      });
      if (undo !== undefined) undos.keep(session, job.id, undo);
      return reply.status(202).send({ job_id: job.id });
    });
  }
}

/**
 * Objects written below a folder are found by its listing while that goes on: a large folder would
 * be copied into itself again and again.
 * @throws ApiError conflict
 */
function refuseIntoItself({ container, to_container: toContainer, items }: Copies): void {
  if (container !== toContainer) return;
  const inside = items.find(
    ({ name, to_name: toName }) => name.endsWith('/') && toName !== name && toName.startsWith(name),
  );
  if (inside === undefined) return;
  const { name, to_name: toName } = inside;
  throw new ApiError('conflict', 'A folder cannot be copied or moved into itself.', {
    name,
    to_name: toName,
  });
}

async function* expand(
  store: SwiftAccount,
  container: string,
  given: { readonly names: readonly string[]; readonly prefixes: readonly string[] },
): AsyncGenerator<Item> {
  for (const name of given.names) yield { name };
  for (const prefix of given.prefixes) yield* walkObjects(store, container, prefix);
}

async function* transfersOf(
  store: SwiftAccount,
  { container, to_container: toContainer, items }: Copies,
): AsyncGenerator<Transfer> {
  const transfer = (name: string, toName: string) => ({
    name,
    from: { container, object: name },
    to: { container: toContainer, object: toName },
  });
  for (const { name, to_name: toName } of items) {
    if (!name.endsWith('/')) {
      yield transfer(name, toName);
      continue;
    }
    for await (const row of walkObjects(store, container, name)) {
      yield transfer(row.name, toName + row.name.slice(name.length));
    }
  }
}
