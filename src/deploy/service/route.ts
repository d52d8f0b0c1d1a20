import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Control } from './control.js';
import { DeployError } from './errors.js';
import { isRunId, type Run } from './run-record.js';

/** A route of the control service: what the OpenAPI document and the server are made of. */
export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** As Fastify has it; `:name` is a parameter, `*` the rest. */
  readonly path: string;
  readonly summary: string;
  /** Statuses besides those of all routes, see openapi.ts. */
  readonly statuses: readonly number[];
  /** Headers that the request needs. */
  readonly headers?: readonly string[];
  readonly handle: (
    control: Control,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** @throws DeployError `not_found` */
export async function planOf(store: Control['store'], request: FastifyRequest) {
  const plan = await store.plan((request.params as { readonly id: string }).id);
  if (plan === undefined) throw new DeployError('not_found', 'Plan not found.');
  return plan;
}

/** @throws DeployError `not_found` */
export function runOf(control: Control, request: FastifyRequest): Promise<Run> {
  return runWith(control, (request.params as { readonly id: string }).id);
}

/** @throws DeployError `not_found` */
export async function runWith({ runs }: Control, id: string): Promise<Run> {
  const run = isRunId(id) ? await runs.find(id) : undefined;
  if (run === undefined) throw new DeployError('not_found', 'Run not found.');
  return run;
}
