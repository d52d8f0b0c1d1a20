import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import { expectShown } from '../../server/changes.js';
import { audited } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import type { StoreInfo, StoreInfoCache } from '../../swift/info.js';
import { quotaIn } from './container-details.js';
import { containerName } from './names.js';
import { noSuchContainer, refused } from './translate.js';

const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable();
/** Null for no bound. */
export const BOUNDS = z.strictObject({ bytes: amount, objects: amount });
export type Bounds = z.infer<typeof BOUNDS>;
const QUOTA = BOUNDS.extend({ name: containerName, was: BOUNDS });

/** Bounds of what a container may hold, where the store enforces them (swift container_quotas). */
export function quotaRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  info: StoreInfoCache,
): void {
  app.put(
    '/api/files/quota',
    { config: { access: 'manage', audits: 'files.quota' } },
    async (request, reply) => {
      const { name, bytes, objects, was } = parse(QUOTA, request.body);
      expectQuotas(await info.get());
      const { store } = sessionOf(request);
      const headers = { ...quotaHeader('bytes', bytes), ...quotaHeader('count', objects) };
      const act = { action: 'files.quota', target: name, details: { bytes, objects } };
      const save = async () => {
        const { headers: stored } = await store.do([200, 204], 'HEAD', { container: name });
        const { quota_bytes: bytesNow, quota_objects: objectsNow } = quotaIn(stored);
        const words = `${bytesNow ?? 'any number of'} bytes, ${objectsNow ?? 'any number of'} objects`;
        expectShown(was, { bytes: bytesNow, objects: objectsNow }, 'the quota', words);
        await store.do([204], 'POST', { container: name, headers });
      };
      await audited(context, request, act, () =>
        context.changes.ofContainer(store, name, save).catch(refused).catch(noSuchContainer),
      );
      return reply.status(204).send();
    },
  );
}

/** @throws ApiError unsupported_here where nothing would keep to the bounds */
export function expectQuotas({ hasContainerQuotas }: StoreInfo): void {
  if (hasContainerQuotas) return;
  const message = 'This store does not enforce quotas of buckets.';
  throw new ApiError('unsupported_here', message, { needs: 'container_quotas' });
}

/** The bounds of a new container. */
export function quotaHeaders({ bytes, objects }: Bounds): Record<string, string> {
  return {
    ...(bytes === null ? {} : quotaHeader('bytes', bytes)),
    ...(objects === null ? {} : quotaHeader('count', objects)),
  };
}

function quotaHeader(what: 'bytes' | 'count', value: number | null): Record<string, string> {
  return value === null
    ? { [`x-remove-container-meta-quota-${what}`]: 'x' }
    : { [`x-container-meta-quota-${what}`]: String(value) };
}
