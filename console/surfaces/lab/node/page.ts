import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { needRight, recordAction } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { runActor } from '../../../server/runs/run-routes.js';
import { labPage, nodeSource, POLL } from '../ground/data-source.js';
import { missingOf, needMutations } from '../ground/refusals.js';
import type { Lab } from '../lab.js';
import type { RunView } from '../../../server/runs/run.js';
import type { DrillParams } from './drill.js';
import type { DrillView, NodeStatusView } from './drills.js';
import type { Impact } from './impact.js';

const TTL_S = 120;

const NODE = z.strictObject({ node: z.string().max(64) });
const DOWN = z.strictObject({
  node: z.string().max(64),
  ttl_secs: z.number().default(TTL_S),
  force: z.boolean().default(false),
});
const UP = z.union([NODE, z.strictObject({ journal_id: z.uuid() })]);
const ID = z.object({ id: z.uuid() });

export interface DrillsView {
  readonly items: readonly RunView<DrillParams>[];
  /** Why nodes cannot be stopped here: the keys that it takes; null where they can be. */
  readonly needs: string | null;
  /** Whether a drill that blocks partitions may be asked for. */
  readonly can_force: boolean;
}

export interface DownAnswer {
  readonly journal_id: string;
  readonly node: string;
  readonly state: 'stopping';
  readonly expires_unix_s: number;
  readonly impact: Impact;
}

export const NODE_DRILL = labPage({
  name: 'node',
  title: 'Node HA Drill',
  purpose: 'See how the cluster behaves while a node is down and how it recovers.',
  icon: 'server-cog',
  styles: ['/surfaces/lab/node/page/node.css'],
  source: nodeSource,
  routes: nodeRoutes,
});

function nodeRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';
  const { options } = context;

  app.get('/lab/api/node/status', POLL, (): Promise<NodeStatusView> => lab.drills.status());

  app.get('/lab/api/node/impact', POLL, (request): Promise<Impact> =>
    lab.drills.impact(parse(NODE, request.query).node),
  );

  app.get('/lab/api/node/drills', POLL, async (): Promise<DrillsView> => {
    const needs = missingOf({
      lab_mutations: options.labMutations,
      node_driver: options.nodeDriver !== 'none',
      cluster_nodes: options.clusterNodes.length > 0,
      store_dir: options.storeDir !== '',
    });
    return {
      items: await lab.drills.list(),
      needs,
      can_force: options.nodeDriver === 'local-procs',
    };
  });

  app.get('/lab/api/node/drills/:id', POLL, (request): Promise<DrillView> =>
    lab.drills.get(parse(ID, request.params).id),
  );

  app.post(
    '/lab/api/node/down',
    { config: { access, audits: 'lab.node' } },
    async (request, reply) => {
      const { drills } = lab;
      await needRightToMutate(context, request);
      const given = parse(DOWN, request.body);
      const { store } = sessionOf(request);
      const { run, impact } = await drills.down(given, store, runActor(request));
      const answer: DownAnswer = {
        journal_id: run.id,
        node: given.node,
        state: 'stopping',
        expires_unix_s: run.started_unix_s + given.ttl_secs,
        impact,
      };
      return reply.status(202).send(answer);
    },
  );

  app.post(
    '/lab/api/node/up',
    { config: { access, audits: 'lab.node' } },
    async (request, reply) => {
      const { drills } = lab;
      await needRightToMutate(context, request);
      const run = await drills.up(parse(UP, request.body));
      if (run === undefined) return { changed: false };
      const { id, target } = run;
      await recordAction(context, request, { action: 'lab.node.up', target, result: 'ok' });
      return reply.status(202).send({ journal_id: id, node: target, state: 'starting' });
    },
  );
}

/** @throws ApiError feature_disabled, forbidden */
async function needRightToMutate(
  context: ConsoleContext,
  request: Parameters<typeof needRight>[1],
): Promise<void> {
  await needRight(context, request, 'mutate', { action: 'lab.node', target: '' });
  needMutations(context.options);
}
