import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.js';
import { BYTES_TYPE, mediaTypeOf } from './media-type.js';
import type { Session } from './sessions.js';

/**
 * The limit of one session; a page sends some at a time, and other sessions need connections as
 * well.
 */
const UPLOADS_MAX = 16;
const RETRY_S = 5;

/** Bounds how many bodies of objects a session sends at the same time. */
export function limitUploads(app: FastifyInstance, max = UPLOADS_MAX): void {
  const underWay = new WeakMap<Session, number>();
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { session } = request;
    if (session === null || mediaTypeOf(request.headers) !== BYTES_TYPE) {
      done(null, payload);
      return;
    }
    const count = underWay.get(session) ?? 0;
    if (count >= max) {
      const text = 'Too many uploads at once. Try again in a few seconds.';
      done(new ApiError('rate_limited', text, undefined, RETRY_S));
      return;
    }
    underWay.set(session, count + 1);
    reply.raw.once('close', () => {
      underWay.set(session, (underWay.get(session) ?? 1) - 1);
    });
    done(null, payload);
  });
}
