import type { ObjectHead } from '../../../backend/backend.js';
import type { HeaderList } from '../../../http/exchange.js';
import { lifecycleObjectOf } from '../../lifecycle-object.js';
import type { RequestContext } from '../../operation.js';
import { expirationOf } from '../../rules/lifecycle/evaluate.js';
import { expirationHeaders } from '../../rules/lifecycle/headers.js';
import { containerOf } from '../refs.js';

const NONE: HeaderList = [];

/**
 * `x-amz-expiration` of an object that was read or written: when the bucket's rules delete it. The
 * header only informs: when the rules cannot be read, what the request is for is answered without.
 */
export async function expirationOfObject(
  context: RequestContext,
  object: Pick<ObjectHead, 'size' | 'lastModified' | 'systemMetadata'>,
): Promise<HeaderList> {
  try {
    const found = context.services.lifecycles.of(context.call, containerOf(context));
    const configuration = found instanceof Promise ? await found : found;
    if (configuration === undefined) return NONE;
    const described = lifecycleObjectOf(context.endpoint.key, object);
    return expirationHeaders(expirationOf(configuration, described));
  } catch {
    return NONE;
  }
}
