import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { recordAction } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { runActor, sendRun } from '../../../server/runs/run-routes.js';
import { labPage, nodeSource, POLL } from '../ground/data-source.js';
import type { Lab } from '../lab.js';
import { TTL_S, type CatalogueItem } from './catalogue.js';
import type { ChaosRunRow } from './chaos-runs.js';

const START = z.strictObject({
  fault: z.string().max(64),
  target: z.string().max(200),
  params: z
    .strictObject({
      mode: z.string().max(32).default(''),
      hold_s: z.int().min(1).max(900).nullable().default(null),
    })
    .prefault({}),
  ttl_s: z.int().default(TTL_S.default),
  confirm: z.string().max(200),
  force: z.boolean().default(false),
});

export interface ChaosCatalogueView {
  readonly items: readonly CatalogueItem[];
  /** Until when no fault may begin; null where one may. */
  readonly cooldown_until_unix_s: number | null;
  /** Whether faults that take a quorum away may be forced: on labs. */
  readonly can_force: boolean;
}

export interface ChaosRunsView {
  readonly items: readonly ChaosRunRow[];
}

export const CHAOS = labPage({
  name: 'chaos',
  title: 'Chaos Arcade',
  purpose: 'Inject one fault, reverted automatically, and see how the cluster copes.',
  icon: 'gamepad-2',
  styles: ['/surfaces/lab/chaos/page/chaos.css'],
  source: nodeSource,
  routes: chaosRoutes,
});

function chaosRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const idOf = (parameters: unknown): string => (parameters as { readonly id: string }).id;
  const hasQuotas = async (): Promise<boolean> => (await lab.storeInfo.get()).hasContainerQuotas;

  app.get('/lab/api/chaos/catalog', POLL, async (): Promise<ChaosCatalogueView> => {
    const { chaos, net } = lab;
    const items = await chaos.catalogue(await hasQuotas());
    const untilS = (await net.cooldownUntilS()) ?? null;
    return { items, cooldown_until_unix_s: untilS, can_force: chaos.canForce };
  });

  app.post('/lab/api/chaos/runs', auditedRoute('mutate'), async (request, reply) => {
    const { params, ...given } = parse(START, request.body);
    const user = { account: sessionOf(request).store, hasQuotas: await hasQuotas() };
    const run = await lab.chaos.start({ ...given, ...params }, user, runActor(request));
    return reply.status(202).send({ id: run.id });
  });

  app.get('/lab/api/chaos/runs', POLL, async (): Promise<ChaosRunsView> => ({
    items: await lab.chaos.list(),
  }));

  app.get('/lab/api/chaos/runs/:id', POLL, async (request, reply) => {
    const { id } = await lab.chaos.view(idOf(request.params));
    return sendRun(reply, context.runs, id);
  });

  app.post('/lab/api/chaos/runs/:id/abort', auditedRoute('mutate'), async (request, reply) => {
    const id = idOf(request.params);
    lab.chaos.abort(id);
    await recordAction(context, request, { action: 'lab.chaos.abort', target: id, result: 'ok' });
    return reply.status(204).send();
  });
}
