import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { needRight, namesIn } from '../../server/audit-record.js';
import { auditedJob } from '../../server/audited-job.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import { loginName } from '../../config/keys.js';
import type { SwiftAccount } from '../../swift/account.js';
import { copyObject } from './copy-object.js';
import { exists, TAKEN } from './exists.js';
import { forMany } from './many.js';
import { containerName, NAMES_MAX, objectName } from './names.js';
import { expectNoS3Version, objectInfo } from './object-info.js';
import { walkObjects } from './swift-listing.js';
import { removerOf } from './remover.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { copyIntoS3, deleteInS3, moveIntoS3 } from './s3/s3-objects.js';
import { confirmName, expectTyped } from './s3/version-id.js';
import { mayReplace } from './write-effect.js';

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

/** Deletion, copies and moves: each is a job with a result for each name. */
export function changeRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { now, options } = context;
  const describe = (error: unknown) => describeError(context, error, 'job');

  app.post('/api/files/delete', { config: { access: 'write' } }, async (request, reply) => {
    const given = parse(DELETE, request.body);
    const { container, mode } = given;
    const details = namesIn([...given.names, ...given.prefixes]);
    const act = { action: `files.${mode}`, target: container, details };
    const session = sessionOf(request);
    if (mode === 'purge') {
      await needRight(context, request, 'manage', act);
      const [name, ...others] = [...given.names, ...given.prefixes];
      const isOne = name !== undefined && others.length === 0;
      if ((await s3BucketOf(session, container)) !== undefined) {
        const typed = given.confirm_name;
        if (!(isOne && typed === name)) expectTyped(typed, container);
      }
    }
    const { store, user } = session;
    const job = await auditedJob(context, request, act, 'delete', async (control) => {
      const trash = { by: loginName(user), days: options.trashDays, nowMs: now() };
      const remove = await removerOf(session, container, mode, trash);
      return forMany(expand(store, container, given), control, describe, remove);
    });
    return reply.status(202).send({ job_id: job.id });
  });

  for (const kind of ['copy', 'move'] as const) {
    app.post(`/api/files/${kind}`, { config: { access: 'write' } }, async (request, reply) => {
      const given = parse(COPY, request.body);
      const session = sessionOf(request);
      const { store } = session;
      const { container, to_container: toContainer, overwrite } = given;
      refuseIntoItself(given);
      const details = {
        ...namesIn(given.items.map(({ name }) => name)),
        to: toContainer,
        overwrite,
      };
      const act = { action: `files.${kind}`, target: container, details };
      const job = await auditedJob(context, request, act, kind, async (control) => {
        const source = await s3BucketOf(session, container);
        const target = await s3BucketOf(session, toContainer);
        return forMany(pairs(store, container, given.items), control, describe, async (item) => {
          const to = { container: toContainer, object: item.toName };
          const from = { container, object: item.name };
          if (container === toContainer && item.name === item.toName) return;
          if (!overwrite && (await exists(store, to))) throw new ApiError('exists', TAKEN);
          // A bucket may have a version “null” to lose where nothing is current.
          if (overwrite || target !== undefined) await mayReplace(request, to);
          if (source !== undefined) {
            await source.copyTo(to, { key: item.name });
            if (kind === 'move') await deleteInS3(source, item.name, mayDestroy(session));
            return;
          }
          if (target !== undefined) {
            const write = kind === 'move' ? moveIntoS3 : copyIntoS3;
            await write(store, from, target, item.toName);
            return;
          }
          const info = await objectInfo(store, container, item.name);
          if (kind === 'move') expectNoS3Version(info);
          await copyObject(store, from, to, info, {}, control.signal);
          if (kind === 'move') await store.do([204], 'DELETE', from);
        });
      });
      return reply.status(202).send({ job_id: job.id });
    });
  }
}

function mayDestroy({ user }: Session): boolean {
  return hasRight(user.role, 'manage');
}

/**
 * What is written below a folder is found by its listing while that goes on: a large one would be
 * copied into itself again and again.
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

async function* pairs(
  store: SwiftAccount,
  container: string,
  items: readonly { readonly name: string; readonly to_name: string }[],
): AsyncGenerator<{ readonly name: string; readonly toName: string }> {
  for (const { name, to_name: toName } of items) {
    if (!name.endsWith('/')) {
      yield { name, toName };
      continue;
    }
    for await (const row of walkObjects(store, container, name)) {
      yield { name: row.name, toName: toName + row.name.slice(name.length) };
    }
  }
}
