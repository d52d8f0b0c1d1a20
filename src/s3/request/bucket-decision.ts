import type { ContainerHead } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import type { BucketFreshness, RequestContext } from '../operation.js';

/**
 * Decides by the request's bucket. A listener may go by the head of a container for a moment, and another
 * listener may have carried out just what this client relies on: a refusal is therefore decided anew,
 * by the newest head. A request that is not refused asks for nothing more.
 *
 * @param decide - throws S3Error to refuse
 * @param freshness - of the head that it is decided by first
 * @throws what `decide` throws; BackendError NoSuchContainer
 */
export async function decideByBucket<T>(
  context: RequestContext,
  decide: (head: ContainerHead) => T,
  freshness?: BucketFreshness,
): Promise<T> {
  const head = await context.containerHead(freshness);
  try {
    return decide(head);
  } catch (error) {
    if (!(error instanceof S3Error) || !mayBeStale(context)) throw error;
  }
  return decide(await context.containerHead({ newest: true }));
}

/** Whether what was read of a container may be older than the request. */
export function mayBeStale({ services }: Pick<RequestContext, 'services'>): boolean {
  return services.backend.capabilities.containerStaleMs > 0;
}
