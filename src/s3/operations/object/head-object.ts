import { resolveRange } from '../../../backend/ranges.js';
import type { RequestContext, S3Response } from '../../operation.js';
import {
  evaluateReadConditions,
  preconditionFailed,
  rangeApplies,
} from '../../rules/conditions.js';
import { contentRange, invalidRange, parseRange } from '../../rules/ranges.js';
import { parseResponseOverrides } from '../../rules/response-overrides.js';
import { expirationOfObject } from '../lifecycle-headers.js';
import { headNamedVersion } from './named-version.js';
import { notModifiedResponse, objectHeaders, requireReadable } from './object-response.js';

/** HeadObject: what GetObject would answer, without the body. */
export async function headObject(context: RequestContext): Promise<S3Response> {
  const { headers } = context;
  const overrides = parseResponseOverrides(context.endpoint.query);
  const { head } = await headNamedVersion(context);
  requireReadable(context, head);
  const outcome = evaluateReadConditions(headers, head, Date.now());
  if (outcome === 'precondition_failed') throw preconditionFailed(headers);
  if (outcome === 'not_modified') return notModifiedResponse(head);

  const requested = rangeApplies(headers, head) ? parseRange(headers.get('range')) : undefined;
  const range = requested === undefined ? undefined : resolveRange(requested, head.size);
  if (range === 'unsatisfiable') throw invalidRange(headers.get('range') ?? '', head.size);
  const expiration = expirationOfObject(context, head);
  const list = [
    ...objectHeaders(headers, head, overrides, range),
    ...(expiration instanceof Promise ? await expiration : expiration),
  ];
  if (range === undefined) return { status: 200, headers: list, contentLength: head.size };
  return {
    status: 206,
    headers: [...list, ['Content-Range', contentRange(range, head.size)]],
    contentLength: range.end - range.start + 1,
  };
}
