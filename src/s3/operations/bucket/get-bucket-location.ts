import type { RequestContext, S3Response } from '../../operation.js';
import { renderLocationConstraint } from '../../xml/location-constraint.js';
import { containerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketLocation: the configured location, for a bucket that exists (SPEC.md 4.2). */
export async function getBucketLocation(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  await backend.headContainer(context.call, containerOf(context));
  return xmlResponse(renderLocationConstraint(settings.location));
}
