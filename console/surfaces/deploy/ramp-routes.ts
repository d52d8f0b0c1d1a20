import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { ControlClient } from './control-client.js';
import { acting, done, expectCluster, idOf, keyOf } from './pass-on.js';

const ETAG = z.string().regex(/^[\w-]{1,128}$/, { error: 'the entity tag of a specification' });
const BEGIN = z.strictObject({
  cluster: z.string().max(256),
  spec_etag: ETAG.optional(),
  allow_large: z.boolean().optional(),
});

/**
 * The routes that begin and steer a ramp. A ramp applies plans by itself, so it names the cluster
 * that it is meant for, as an apply does.
 */
export function rampActs(
  app: FastifyInstance,
  context: ConsoleContext,
  control: ControlClient,
): void {
  app.post('/deploy/api/ramps', acting('deploy.ramp'), async (request, reply) => {
    const { cluster, ...wish } = parse(BEGIN, request.body ?? {});
    const headers = { 'idempotency-key': keyOf(request) };
    const act = { action: 'deploy.ramp', target: wish.spec_etag ?? '' };
    return done(context, request, reply, act, async () => {
      await expectCluster(control, cluster);
      const body = JSON.stringify(wish);
      return control.send({ method: 'POST', path: '/ramps', headers, body });
    });
  });

  for (const verb of ['pause', 'resume', 'cancel'] as const) {
    const action = `deploy.ramp.${verb}` as const;
    app.post(`/deploy/api/ramps/:id/${verb}`, acting(action), async (request, reply) => {
      const ramp = idOf(request);
      return done(context, request, reply, { action, target: ramp }, () =>
        control.send({ method: 'POST', path: `/ramps/${ramp}/${verb}` }),
      );
    });
  }
}
