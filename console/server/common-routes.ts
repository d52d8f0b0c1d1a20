import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { sessionOf, type ConsoleContext } from './context.js';
import type { EventTopic } from './events.js';
import { parse } from './parse.js';
import { unauditedRoute } from './route-options.js';
import { runRoutes } from './runs/run-routes.js';

/** Each change of a job, for the session that it belongs to. */
export const JOBS_TOPIC: EventTopic = { name: 'jobs', access: 'read', events: 1000 };

const JOB = z.object({ id: z.uuid() });
const EVENTS = z.object({
  topics: z.string().max(256).default('jobs'),
  page: z
    .string()
    .regex(/^[0-9a-z]{1,32}$/)
    .optional(),
});

/** The routes that belong to no surface: liveness, jobs, runs, events. */
export function commonRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { jobs, events } = context;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    config: { access: 'open' },
    handler: () => ({ status: 'ok' }),
  });

  app.get('/api/jobs', { config: { access: 'read', background: true } }, (request) => ({
    items: jobs.list(sessionOf(request)),
  }));
  app.get('/api/jobs/:id', { config: { access: 'read', background: true } }, (request) =>
    jobs.get(sessionOf(request), parse(JOB, request.params).id),
  );
  app.delete('/api/jobs/:id', unauditedRoute('read', 'the job writes how it ended'), (request) =>
    jobs.cancel(sessionOf(request), parse(JOB, request.params).id),
  );

  app.get('/api/events', { config: { access: 'read', background: true } }, (request, reply) => {
    const { topics, page } = parse(EVENTS, request.query);
    const last = request.headers['last-event-id'];
    const lastId = typeof last === 'string' ? last : undefined;
    const stream = events.subscribe(sessionOf(request), topics.split(','), lastId, page);
    return reply.type('text/event-stream').send(stream);
  });
  runRoutes(app, context);
}
