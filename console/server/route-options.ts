import type { FastifyContextConfig } from 'fastify';
import type { Right } from './rights.js';

interface RouteOptions {
  readonly config: FastifyContextConfig;
}

/** Options of a route that writes into the audit log what it changes. */
export function auditedRoute(access: Right): RouteOptions {
  return { config: { access, audits: true } };
}

/** Options of a route that reads, though the method of its requests is another. */
export function readRoute(access: Right): RouteOptions {
  return unauditedRoute(access, 'reads');
}

/** Options of a route that is no read, and has nothing to write into the audit log. @param why so */
export function unauditedRoute(access: Right, why: string): RouteOptions {
  return { config: { access, unaudited: why } };
}
