import type { FastifyRequest } from 'fastify';
import { loginName } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { hasRight, type Right } from '../../server/rights.js';

/**
 * Writes down what is about to be done, before it is done; what the user's role does not allow is
 * written down as denied.
 * @throws ApiError forbidden
 */
export async function audited(
  { audit }: Pick<ConsoleContext, 'audit'>,
  request: FastifyRequest,
  action: string,
  target: string,
  right: Right = 'read',
): Promise<void> {
  const { user } = sessionOf(request);
  const allowed = hasRight(user.role, right);
  await audit.write({
    actor: loginName(user),
    role: user.role,
    ip: request.view.address,
    action,
    target,
    result: allowed ? 'ok' : 'denied',
    request_id: request.id,
  });
  if (!allowed) throw new ApiError('forbidden', 'Your role does not allow this.');
}
