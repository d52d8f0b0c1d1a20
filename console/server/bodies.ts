import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { BYTES_TYPE, mediaTypeOf } from './media-type.js';

/** JSON comes at once; who drips it holds memory and a connection. */
const JSON_TIMEOUT_MS = 30_000;
/** The most that a page sends in one go, and a little more. */
const DISCARDED_BYTES_MAX = 80 * 1024 * 1024;

/** Cuts those whose JSON takes too long. Bytes of objects may take hours: they may not stall. */
export function limitBodies(app: FastifyInstance, timeoutMs = JSON_TIMEOUT_MS): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { raw } = request;
    if (!raw.complete && mediaTypeOf(raw.headers) !== BYTES_TYPE) {
      const timer = setTimeout(() => raw.destroy(), timeoutMs);
      const stop = (): void => {
        clearTimeout(timer);
      };
      raw.once('close', stop).once('end', stop);
    }
    done(null, payload);
  });
}

/**
 * Reads and forgets what is left of a body that was refused: a connection that is closed while the
 * browser still sends is reset, and the reason of the refusal lost. A client that never ends is cut
 * off.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = DISCARDED_BYTES_MAX;
  request.unpipe();
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  // `unpipe` pauses the request, and a `data` listener alone does not resume it: the connection would
  // stay open, and its next request would never be read.
  request.resume();
}
