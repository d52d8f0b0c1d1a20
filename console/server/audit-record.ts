import type { FastifyRequest } from 'fastify';
import { loginName } from '../config/keys.js';
import { ApiError } from './api-error.js';
import type { AuditEvent } from './audit-files.js';
import { sessionOf, type ConsoleContext } from './context.js';
import { hasRight, type Right } from './rights.js';

type What = Pick<AuditEvent, 'action' | 'target' | 'result'>;

/** Writes down what somebody does who need not be logged in; resolves when it is on the disk. */
export async function record(
  { audit }: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  { actor, role }: Pick<AuditEvent, 'actor' | 'role'>,
  { action, target, result }: What,
): Promise<void> {
  const ip = request.view.address;
  await audit.write({ actor, role, ip, action, target, result, request_id: request.id });
}

/** Writes down what the user of a request does; resolves when it is on the disk. */
export async function recordAction(
  context: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  what: What,
): Promise<void> {
  const { user } = sessionOf(request);
  await record(context, request, { actor: loginName(user), role: user.role }, what);
}

/**
 * Writes down what is about to be done, before it is done; what the user's role does not allow is
 * written down as denied.
 * @throws ApiError forbidden
 */
export async function audited(
  context: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  action: string,
  target: string,
  right: Right = 'read',
): Promise<void> {
  const allowed = hasRight(sessionOf(request).user.role, right);
  await recordAction(context, request, { action, target, result: allowed ? 'ok' : 'denied' });
  if (!allowed) throw new ApiError('forbidden', 'Your role does not allow this.');
}
