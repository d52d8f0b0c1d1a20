import type { ObjectHead } from '../../backend/backend.js';
import { resolveRange } from '../../backend/ranges.js';
import { andThen, type MaybePromise } from '../../lib/promises.js';
import { expirationOfObject } from '../bucket/lifecycles.js';
import type { RequestContext, S3Response } from '../operation.js';
import { evaluateReadConditions, preconditionFailed, rangeApplies } from '../rules/conditions.js';
import { contentRange, invalidRange, parseRange } from '../rules/ranges.js';
import { parseResponseOverrides, type ResponseOverrides } from '../rules/response-overrides.js';
import { headNamedSoon } from './named-version.js';
import {
  notModifiedResponse,
  objectHeaders,
  requireReadable,
  versionHeaders,
} from './object-response.js';

/** HeadObject: what GetObject would answer, without the body. */
export function headObject(context: RequestContext): MaybePromise<S3Response> {
  const overrides = parseResponseOverrides(context.endpoint.query);
  return andThen(headNamedSoon(context), ({ head }) => respond(context, head, overrides));
}

function respond(
  context: RequestContext,
  head: ObjectHead,
  overrides: ResponseOverrides | undefined,
): MaybePromise<S3Response> {
  const { headers } = context;
  requireReadable(context, head);
  const outcome = evaluateReadConditions(headers, head, Date.now());
  if (outcome === 'precondition_failed') throw preconditionFailed(headers);
  if (outcome === 'not_modified') return notModifiedResponse(context, head);

  const requested = rangeApplies(headers, head) ? parseRange(headers.get('range')) : undefined;
  const range = requested === undefined ? undefined : resolveRange(requested, head.size);
  if (range === 'unsatisfiable') throw invalidRange(headers.get('range') ?? '', head.size);
  return andThen(versionHeaders(context, head), (ofVersion) => {
    const told = objectHeaders(headers, head, ofVersion, overrides, range);
    return andThen(expirationOfObject(context, head), (expiration) => {
      const list = [...told, ...expiration];
      if (range === undefined) return { status: 200, headers: list, contentLength: head.size };
      return {
        status: 206,
        headers: [...list, ['Content-Range', contentRange(range, head.size)]],
        contentLength: range.end - range.start + 1,
      };
    });
  });
}
