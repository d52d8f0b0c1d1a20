import type { FastifyRequest } from 'fastify';
import type { Control } from './control.js';
import { runWith, type Route } from './route.js';

/** The files that runs have installed. */
export const ARTIFACT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/artifacts/:run',
    summary:
      'Every file of every node as a run leaves it: its SHA-256, and whether the plan of the run writes it anew.',
    statuses: [200, 404],
    handle: async (control: Control, request: FastifyRequest) => {
      const { run } = request.params as { readonly run: string };
      return { files: await control.artifacts(await runWith(control, run)) };
    },
  },
  {
    method: 'GET',
    path: '/v1/artifacts/:run/:node/*',
    summary: 'A file of a node as a run installed it, with marks in the place of secrets.',
    statuses: [200, 404],
    handle: async (control, request, reply) => {
      const params = request.params as Readonly<Record<'run' | 'node' | '*', string>>;
      const run = await runWith(control, params.run);
      const content = await control.artifact(run, params.node, params['*']);
      void reply.type('application/octet-stream').header('x-content-type-options', 'nosniff');
      return content;
    },
  },
];
