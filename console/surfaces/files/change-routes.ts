import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeError } from '../../server/app-errors.js';
import { ApiError } from '../../server/api-error.js';
import { audited } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { loginName } from '../../config/keys.js';
import type { SwiftAccount } from '../../swift/account.js';
import { copyObject } from './copy-object.js';
import { exists } from './exists.js';
import { ManifestSharing } from './manifest-sharing.js';
import { forMany } from './many.js';
import { containerName, NAMES_MAX, objectName, trashOf } from './names.js';
import { objectInfo } from './object-info.js';
import { walkObjects } from './swift-listing.js';
import { purge } from './purge.js';
import { removerOf } from './remover.js';
import { listTrash, parseTrashName, restoreFromTrash } from './trash.js';
import { SwiftStatusError } from '../../swift/errors.js';

const names = z.array(objectName).max(NAMES_MAX);
const DELETE = z.strictObject({
  container: containerName,
  names: names.default([]),
  prefixes: names.default([]),
  mode: z.enum(['trash', 'purge']),
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
const TRASH = z.object({
  container: containerName,
  limit: z.coerce.number().int().min(1).max(NAMES_MAX).default(1000),
});
const RESTORE = z.strictObject({
  container: containerName,
  trash_names: names.min(1),
  on_conflict: z.enum(['fail', 'rename', 'replace']).default('fail'),
});
const PURGE = z.strictObject({ container: containerName, trash_names: names.min(1) });

type Copies = z.infer<typeof COPY>;

interface Item {
  readonly name: string;
}

/** Deletion, trash, copies and moves: each is a job with a result for each name. */
export function changeRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { jobs, now, options } = context;
  const describe = (error: unknown) => describeError(context, error, 'job');

  app.post('/api/files/delete', { config: { access: 'write' } }, async (request, reply) => {
    const given = parse(DELETE, request.body);
    const session = sessionOf(request);
    const { container } = given;
    if (given.mode === 'purge') {
      await audited(context, request, 'files.purge', container, 'manage');
    }
    const { store } = session;
    const job = jobs.start(session, 'delete', async (control) => {
      const trash = { by: loginName(session.user), days: options.trashDays, nowMs: now() };
      const remove = await removerOf(store, container, given.mode, trash);
      return forMany(expand(store, container, given), control, describe, remove);
    });
    return reply.status(202).send({ job_id: job.id });
  });

  for (const kind of ['copy', 'move'] as const) {
    app.post(`/api/files/${kind}`, { config: { access: 'write' } }, (request, reply) => {
      const given = parse(COPY, request.body);
      const session = sessionOf(request);
      const { store } = session;
      const { container, to_container: toContainer, overwrite } = given;
      refuseIntoItself(given);
      const job = jobs.start(session, kind, (control) =>
        forMany(pairs(store, container, given.items), control, describe, async (item) => {
          const to = { container: toContainer, object: item.toName };
          const from = { container, object: item.name };
          if (container === toContainer && item.name === item.toName) return;
          if (!overwrite && (await exists(store, to))) {
            throw new ApiError('exists', 'There is such an object already.');
          }
          const info = await objectInfo(store, container, item.name);
          await copyObject(store, from, to, info, {}, control.signal);
          if (kind === 'move') await store.do([204], 'DELETE', from);
        }),
      );
      return reply.status(202).send({ job_id: job.id });
    });
  }

  app.get('/api/files/trash', { config: { access: 'read' } }, async (request) => {
    const { container, limit } = parse(TRASH, request.query);
    const items = [];
    try {
      for await (const entry of listTrash(sessionOf(request).store, container)) {
        const expires = Math.floor(entry.deleted_unix_ms / 1000) + options.trashDays * 86_400;
        items.push({ ...entry, expires_unix_s: expires });
        if (items.length === limit) break;
      }
    } catch (error) {
      // Nothing was ever thrown away here.
      if (!(error instanceof SwiftStatusError && error.status === 404)) throw error;
    }
    return { items, truncated: items.length === limit };
  });

  app.post('/api/files/trash/restore', { config: { access: 'write' } }, (request, reply) => {
    const {
      container,
      trash_names: trashNames,
      on_conflict: choice,
    } = parse(RESTORE, request.body);
    const session = sessionOf(request);
    const job = jobs.start(session, 'restore', (control) =>
      forMany(itemsOf(trashNames), control, describe, ({ name }) =>
        restoreFromTrash(session.store, container, name, choice, now()),
      ),
    );
    return reply.status(202).send({ job_id: job.id });
  });

  app.post('/api/files/trash/purge', { config: { access: 'manage' } }, async (request, reply) => {
    const { container, trash_names: trashNames } = parse(PURGE, request.body);
    const session = sessionOf(request);
    await audited(context, request, 'files.purge', trashOf(container), 'manage');
    const sharing = new ManifestSharing(session.store);
    const job = jobs.start(session, 'purge', (control) =>
      forMany(itemsOf(trashNames), control, describe, ({ name }) => {
        if (parseTrashName(name) === undefined) throw new ApiError('bad_name', 'No trash.');
        return purge(session.store, trashOf(container), name, sharing);
      }),
    );
    return reply.status(202).send({ job_id: job.id });
  });
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

function itemsOf(all: readonly string[]): Item[] {
  return all.map((name) => ({ name }));
}

async function* expand(
  store: SwiftAccount,
  container: string,
  given: { readonly names: readonly string[]; readonly prefixes: readonly string[] },
): AsyncGenerator<Item> {
  yield* itemsOf(given.names);
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
