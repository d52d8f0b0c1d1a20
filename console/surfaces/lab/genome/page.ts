import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { presentDevices } from '../../../../src/ring/device.js';
import { ApiError } from '../../../server/api-error.js';
import type { ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { runCollectionRoutes } from '../../../server/runs/run-collection.js';
import { runActor } from '../../../server/runs/run-routes.js';
import { labPage, READ, ringSource } from '../ground/data-source.js';
import type { Lab } from '../lab.js';
import { protectionOf } from '../policies/comparison.js';
import { writeQuorum } from '../policies/storage-cost.js';
import type { GenomeRunRow } from './genome-runs.js';

/**
 * Devices of a ring that weights can be searched for, also those without a weight: the pairs of them
 * are counted in a table.
 */
const DEVICES_MAX = 1000;

const share = z.number().min(0).max(1);
const START = z.strictObject({
  ring: z.string().regex(/^object(-\d{1,4})?$/, { error: 'the name of a ring of objects' }),
  overload: z.number().min(0).max(100).default(0),
  population: z.int().min(4).max(100).default(40),
  generations: z.int().min(1).max(60).default(40),
  seed: z.int().min(0).max(0xffff_ffff).default(1),
  bounds: z
    .strictObject({
      lower_factor: z.number().min(0.05).max(1).default(0.5),
      upper_factor: z.number().min(1).max(20).default(2),
    })
    .prefault({}),
  faults: z
    .strictObject({
      device: share.default(0.4),
      server: share.default(0.3),
      zone: share.default(0.2),
      pair: share.default(0.1),
    })
    .refine((all) => Object.values(all).some((value) => value > 0), {
      error: 'at least one kind of fault that counts',
    })
    .prefault({}),
});

export interface GenomeRunsView {
  readonly items: readonly GenomeRunRow[];
}

export const GENOME = labPage({
  name: 'genome',
  title: 'Cluster Genome Lab',
  purpose:
    'Find device weights that move fewer partitions, improve availability and waste less capacity. No ring file is written.',
  icon: 'dna',
  source: ringSource,
  routes: genomeRoutes,
});

function genomeRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';
  const idOf = (parameters: unknown): string => (parameters as { readonly id: string }).id;

  app.post('/lab/api/genome/runs', auditedRoute(access), async (request, reply) => {
    const given = parse(START, request.body);
    const { ring: name, bounds, ...options } = given;
    const { read, ring } = await lab.rings.open(name);
    if (presentDevices(read.data.devices).length > DEVICES_MAX) {
      throw new ApiError('unprocessable', `Ring ${name} has more than ${DEVICES_MAX} devices.`);
    }
    const protection = protectionOf(await lab.rings.policyOf(name), ring.replicas);
    const searched = {
      ...options,
      lowerFactor: bounds.lower_factor,
      upperFactor: bounds.upper_factor,
      writeQuorum: writeQuorum(protection),
    };
    const params = { ring: name, ring_md5: read.md5, options: searched };
    const run = await lab.genome.start(params, runActor(request));
    return reply.status(202).send({ id: run.id });
  });

  app.get('/lab/api/genome/runs', READ, async (): Promise<GenomeRunsView> => {
    return { items: await lab.genome.list() };
  });

  runCollectionRoutes(app, context, '/lab/api/genome/runs', lab.genome);

  app.get(
    '/lab/api/genome/runs/:id/candidates/:candidate/commands',
    READ,
    async (request, reply) => {
      const { candidate } = request.params as { readonly candidate: string };
      const text = await lab.genome.commands(idOf(request.params), candidate);
      return reply.type('text/plain; charset=utf-8').send(text);
    },
  );
}
