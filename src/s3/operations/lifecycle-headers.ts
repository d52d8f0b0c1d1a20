import type { ObjectHead } from '../../backend/backend.js';
import type { HeaderList } from '../../http/exchange.js';
import { lifecycleObjectOf } from '../lifecycle-object.js';
import type { RequestContext } from '../operation.js';
import type { LifecycleConfiguration } from '../rules/lifecycle/configuration.js';
import { abortOf, expirationOf } from '../rules/lifecycle/evaluate.js';
import { abortHeaders, expirationHeaders } from '../rules/lifecycle/headers.js';
import { containerOf } from './refs.js';

/**
 * Headers that tell what the bucket's lifecycle rules will do. They only inform: when the rules
 * cannot be read, what the request is for is answered without them.
 */

const NONE: HeaderList = [];

/** `x-amz-expiration` of an object that was read or written: at once while the rules are known. */
export function expirationOfObject(
  context: RequestContext,
  object: Pick<ObjectHead, 'size' | 'lastModified' | 'systemMetadata'>,
): HeaderList | Promise<HeaderList> {
  return headersBy(context, (rules) => {
    const described = lifecycleObjectOf(context.endpoint.key, object);
    return expirationHeaders(expirationOf(rules, described));
  });
}

/** `x-amz-abort-date` of an open upload. @param initiatedAt - milliseconds since the epoch */
export function abortDateOfUpload(
  context: RequestContext,
  initiatedAt: number,
): HeaderList | Promise<HeaderList> {
  return headersBy(context, (rules) => {
    return abortHeaders(abortOf(rules, { key: context.endpoint.key, initiatedAt }));
  });
}

function headersBy(
  context: RequestContext,
  headersOf: (rules: LifecycleConfiguration) => HeaderList,
): HeaderList | Promise<HeaderList> {
  const found = context.services.lifecycles.of(context.call, containerOf(context));
  const headers = (rules: LifecycleConfiguration | undefined): HeaderList =>
    rules === undefined ? NONE : headersOf(rules);
  if (found instanceof Promise) return found.then(headers).catch(() => NONE);
  try {
    return headers(found);
  } catch {
    return NONE;
  }
}
