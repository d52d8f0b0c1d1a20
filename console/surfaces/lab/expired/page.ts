import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { audited, recordAction } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { runCollectionRoutes } from '../../../server/runs/run-collection.js';
import { runActor } from '../../../server/runs/run-routes.js';
import { labPage, POLL, storeSource } from '../ground/data-source.js';
import type { Lab } from '../lab.js';
import type { ExpiredRunRow } from './expired-runs.js';
import { EXPIRED_PREFIX, SwiftObserver } from './observer.js';

/** Swift's `interval` of the expirer is five minutes; it may take one and a half passes. */
const EXPIRER_S = 720;

const START = z.strictObject({
  count: z.int().min(1).max(50).default(8),
  first_s: z.int().min(2).max(3600).default(5),
  step_s: z.int().min(0).max(600).default(5),
  bytes: z
    .int()
    .min(0)
    .max(1024 * 1024)
    .default(1024),
  watch_s: z.int().min(10).max(21_600).default(3600),
  expirer_s: z.int().min(10).max(21_600).default(EXPIRER_S),
});
const RESCUE = z.strictObject({ name: z.string().regex(/^\d{2}$/) });

export interface ExpiredRunsView {
  readonly items: readonly ExpiredRunRow[];
}

export const EXPIRED = labPage({
  name: 'expired',
  title: 'Expired-but-Alive Observatory',
  purpose: 'Follow objects from expiry until they are removed from every disk.',
  icon: 'ghost',
  source: storeSource,
  routes: expiredRoutes,
});

function expiredRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';
  const idOf = (parameters: unknown): string => (parameters as { readonly id: string }).id;

  app.post('/lab/api/expired/runs', auditedRoute(access), async (request, reply) => {
    const { expired, rings, nodes } = lab;
    const given = parse(START, request.body);
    const { store: account } = sessionOf(request);
    const { store, now, options } = context;
    const asksNodes = options.storeDir !== '';
    const observer = new SwiftObserver({ account, store, rings, nodes, asksNodes, now });
    const container = `${EXPIRED_PREFIX}${randomBytes(4).toString('hex')}`;
    const run = await expired.start({ container, ...given }, observer, runActor(request));
    return reply.status(202).send({ id: run.id });
  });

  app.get('/lab/api/expired/runs', POLL, async (): Promise<ExpiredRunsView> => ({
    items: await lab.expired.list(),
  }));

  runCollectionRoutes(app, context, '/lab/api/expired/runs', lab.expired);

  app.post('/lab/api/expired/runs/:id/finish', auditedRoute(access), async (request, reply) => {
    const id = idOf(request.params);
    lab.expired.finish(id);
    await recordAction(context, request, {
      action: 'lab.expired.finish',
      target: id,
      result: 'ok',
    });
    return reply.status(204).send();
  });

  app.post('/lab/api/expired/runs/:id/rescue', auditedRoute(access), async (request) => {
    const { name } = parse(RESCUE, request.body);
    const id = idOf(request.params);
    const act = { action: 'lab.expired.rescue', target: id, details: { name } };
    const isReadable = await audited(context, request, act, () => lab.expired.rescue(id, name));
    return { is_readable: isReadable };
  });
}
