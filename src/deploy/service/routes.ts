import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventStream } from '../../lib/event-stream.js';
import { exportState } from '../state/export.js';
import { ARTIFACT_ROUTES } from './artifact-routes.js';
import type { Control } from './control.js';
import { DeployError } from './errors.js';
import type { Ramp } from './ramp-record.js';
import {
  actorOf,
  audit,
  entityTag,
  expectValid,
  idempotencyKey,
  invalid,
  retryNodes,
  specOf,
  textOf,
} from './requests.js';
import { planOf, runOf, type Route } from './route.js';
import { streamRamp, streamRun } from './run-events.js';

const HISTORY_MAX = 100;
const RAMPS_MAX = 20;

export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/spec',
    summary: 'The specification, null before there is one. `ETag` is its entity tag.',
    statuses: [200],
    handle: ({ store }, _request, reply) => {
      void reply.header('etag', `"${store.specEtag}"`);
      return Promise.resolve(store.spec?.spec ?? null);
    },
  },
  {
    method: 'PUT',
    path: '/v1/spec',
    summary: 'Replaces the specification that has the entity tag of `If-Match`.',
    statuses: [200, 412, 413, 422, 428],
    headers: ['if-match'],
    handle: async (control, request, reply) => {
      const ifMatch = entityTag(request);
      const checked = await control.planner.validate(textOf(request));
      expectValid(checked);
      await audit(control, request, 'deploy.spec', checked.specEtag);
      const file = await control.setSpec(checked, ifMatch);
      void reply.header('etag', `"${file.etag}"`);
      return { etag: file.etag, warnings: checked.warnings };
    },
  },
  {
    method: 'POST',
    path: '/v1/validate',
    summary: 'Checks `{spec}`, and changes nothing.',
    statuses: [200, 400, 413],
    handle: async ({ planner }, request) => {
      const checked = await planner.validate(textOf(request), 'spec');
      const isMissing = checked.spec === null && checked.errors.length === 0;
      if (isMissing) throw invalid('Expected an object with "spec".');
      const { spec, errors, warnings } = checked;
      return { valid: spec !== null, errors, warnings };
    },
  },
  {
    method: 'POST',
    path: '/v1/plans',
    summary:
      'Plans `{spec}`, a specification of before by `{spec_etag}`, or the current one; `seed` and `allow_large` besides. `{repair: true}` plans to install again what is in force.',
    statuses: [201, 400, 404, 413, 422],
    handle: async (control, request, reply) => {
      const checked = await control.planner.validate(textOf(request), 'spec');
      if (checked.errors.length > 0) expectValid(checked);
      const {
        spec_etag: etag,
        seed = 1,
        allow_large: allowLarge = false,
        repair = false,
        ...others
      } = checked.rest;
      const [other] = Object.keys(others);
      if (other !== undefined) throw invalid(`Unknown member ${other}.`);
      if (typeof seed !== 'number' || !Number.isInteger(seed) || seed < 0 || seed > 2 ** 32 - 1) {
        throw invalid('seed: expected a whole number from 0 to 4294967295.');
      }
      if (typeof allowLarge !== 'boolean') {
        throw invalid('allow_large: expected true or false.');
      }
      const isOther = checked.spec !== null || etag !== undefined;
      if (typeof repair !== 'boolean' || (repair && isOther)) {
        throw invalid('repair: expected true, without another wish.');
      }
      const plan = repair
        ? await control.planRepair()
        : await control.plan(await specOf(control, checked, etag), { seed, allowLarge });
      await audit(control, request, 'deploy.plan', plan.id);
      void reply.status(201).header('location', `/v1/plans/${plan.id}`);
      return plan;
    },
  },
  {
    method: 'GET',
    path: '/v1/plans/:id',
    summary: 'A plan that was made.',
    statuses: [200, 404],
    handle: ({ store }, request) => planOf(store, request),
  },
  {
    method: 'POST',
    path: '/v1/plans/:id/apply',
    summary: 'Begins to apply a plan; `If-Match` is its `base_etag`.',
    statuses: [202, 400, 404, 409, 422, 423, 428],
    headers: ['if-match', 'idempotency-key'],
    handle: async (control, request, reply) => {
      const ifMatch = entityTag(request);
      const key = idempotencyKey(request);
      const plan = await planOf(control.store, request);
      await audit(control, request, 'deploy.apply', plan.id);
      const run = await control.runs.apply({ plan, ifMatch, key, actor: actorOf(request) });
      void reply.status(202).header('location', `/v1/runs/${run.id}`);
      return { run_id: run.id };
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/:id',
    summary: 'A run with its steps.',
    statuses: [200, 404],
    handle: (control, request) => runOf(control, request),
  },
  {
    method: 'GET',
    path: '/v1/runs/:id/events',
    summary: 'Server-sent events: `run` first and at its end, `step` in between.',
    statuses: [200, 404, 503],
    handle: async (control, request, reply) =>
      asEvents(reply, streamRun(control.runs, await runOf(control, request))),
  },
  {
    method: 'POST',
    path: '/v1/runs/:id/cancel',
    summary: 'Ends a run after the step that is under way.',
    statuses: [202, 404, 409],
    handle: async (control, request, reply) => {
      const run = await runOf(control, request);
      await audit(control, request, 'deploy.cancel', run.id);
      control.runs.cancel(run);
      void reply.status(202);
      return { run_id: run.id };
    },
  },
  {
    method: 'POST',
    path: '/v1/runs/:id/retry',
    summary:
      'Begins a run that completes the last one, which did not succeed, without the steps that were done; `{nodes: [name]}` for these alone.',
    statuses: [202, 400, 404, 409, 413, 422, 423],
    headers: ['idempotency-key'],
    handle: async (control, request, reply) => {
      const key = idempotencyKey(request);
      const former = await runOf(control, request);
      const nodes = retryNodes(await control.planner.validate(textOf(request), 'spec'));
      await audit(control, request, 'deploy.retry', former.id);
      const run = await control.runs.retry({ run: former, nodes, key, actor: actorOf(request) });
      void reply.status(202).header('location', `/v1/runs/${run.id}`);
      return { run_id: run.id };
    },
  },
  {
    method: 'POST',
    path: '/v1/ramps',
    summary:
      'Begins to apply `{spec}`, `{spec_etag}` or the current specification by as many plans as it takes, each once the cluster has settled; `allow_large` besides.',
    statuses: [201, 400, 404, 413, 422, 423],
    headers: ['idempotency-key'],
    handle: async (control, request, reply) => {
      const key = idempotencyKey(request);
      const checked = await control.planner.validate(textOf(request), 'spec');
      if (checked.errors.length > 0) expectValid(checked);
      const { spec_etag: etag, allow_large: allowLarge = false, ...others } = checked.rest;
      const [other] = Object.keys(others);
      if (other !== undefined || typeof allowLarge !== 'boolean') {
        const what = other ?? 'allow_large: expected true or false';
        throw invalid(`Unknown or wrong member: ${what}.`);
      }
      const spec = await specOf(control, checked, etag);
      await control.store.keepSpec(spec);
      await audit(control, request, 'deploy.ramp', spec.etag);
      const actor = actorOf(request);
      const ramp = await control.ramps.begin({ spec, allowLarge, key, actor });
      void reply.status(201).header('location', `/v1/ramps/${ramp.id}`);
      return { ramp_id: ramp.id };
    },
  },
  {
    method: 'GET',
    path: '/v1/ramps',
    summary: `The last ${RAMPS_MAX} ramps, the latest first.`,
    statuses: [200],
    handle: ({ ramps }) => Promise.resolve({ ramps: ramps.latest(RAMPS_MAX) }),
  },
  {
    method: 'GET',
    path: '/v1/ramps/:id',
    summary: 'A ramp: its steps, what the next one waits for, and how long it may take.',
    statuses: [200, 404],
    handle: (control, request) => Promise.resolve(rampOf(control, request)),
  },
  {
    method: 'GET',
    path: '/v1/ramps/:id/events',
    summary: 'Server-sent events: `ramp`, whole, at first and whenever it changes.',
    statuses: [200, 404, 503],
    handle: (control, request, reply) =>
      Promise.resolve(asEvents(reply, streamRamp(control.ramps, rampOf(control, request)))),
  },
  ...(['pause', 'resume', 'cancel'] as const).map((verb): Route => ({
    method: 'POST',
    path: `/v1/ramps/:id/${verb}`,
    summary: {
      pause: 'Begins no further step of a ramp.',
      resume: 'Goes on with a ramp that is paused, or has stopped by itself.',
      cancel: 'Ends a ramp; what it has applied stays.',
    }[verb],
    statuses: [202, 404, 409],
    handle: async (control, request, reply) => {
      const ramp = rampOf(control, request);
      await audit(control, request, `deploy.ramp.${verb}`, ramp.id);
      await control.ramps[verb](ramp);
      void reply.status(202);
      return { ramp_id: ramp.id };
    },
  })),
  {
    method: 'GET',
    path: '/v1/status',
    summary: 'What is in force, whether nodes have it, and the run that is under way.',
    statuses: [200],
    handle: async (control) => ({
      spec_etag: control.store.specEtag,
      applied_etag: control.store.appliedEtag,
      cluster: control.store.applied.applied.spec?.cluster ?? null,
      lock: control.runs.lock,
      ramp_id: control.ramps.active?.id ?? null,
      nodes: await control.sharedDrift(),
    }),
  },
  {
    method: 'GET',
    path: '/v1/history',
    summary: `The last ${HISTORY_MAX} runs, the latest first, each with the entity tag of its specification.`,
    statuses: [200],
    handle: ({ runs }) =>
      Promise.resolve({
        runs: runs.latest(HISTORY_MAX).map((run) => ({
          id: run.id,
          state: run.state,
          message: run.message,
          actor: run.actor,
          plan_id: run.plan_id,
          plan_sha256: run.plan_sha256,
          spec_etag: run.spec_etag,
          retry_of: run.retry_of ?? null,
          created_unix_s: run.created_unix_s,
          ended_unix_s: run.ended_unix_s,
          nodes: new Set(run.steps.map(({ node }) => node)).size,
        })),
      }),
  },
  ...ARTIFACT_ROUTES,
  {
    method: 'POST',
    path: '/v1/rings/import',
    summary:
      'Takes the rings of a cluster that exists from the folder `import` of the state directory: `{rings: [{name, min_part_hours, overload}]}`.',
    statuses: [200, 400, 413, 422, 423],
    handle: async (control, request) => {
      const text = textOf(request);
      await audit(control, request, 'deploy.import', 'rings');
      return { rings: await control.importRings(text, actorOf(request)) };
    },
  },
  {
    method: 'GET',
    path: '/v1/export',
    summary:
      'Everything that the service keeps but secrets, as one file: `ringway deploy --import` reads it.',
    statuses: [200],
    handle: async (control, request, reply) => {
      await audit(control, request, 'deploy.export', 'state');
      const name = 'attachment; filename="ringway-deploy.state"';
      void reply.type('application/octet-stream').header('content-disposition', name);
      return Readable.from(exportState(control.store.places, control.nowS()), {
        objectMode: false,
      });
    },
  },
];

function asEvents(reply: FastifyReply, events: EventStream): EventStream {
  void reply.header('cache-control', 'no-store').type('text/event-stream; charset=utf-8');
  return events;
}

function rampOf({ ramps }: Control, request: FastifyRequest): Ramp {
  const ramp = ramps.get((request.params as { readonly id: string }).id);
  if (ramp === undefined) throw new DeployError('not_found', 'Ramp not found.');
  return ramp;
}
