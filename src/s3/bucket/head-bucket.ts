import { type RequestContext, type S3Response, containerOf, xmlResponse } from '../operation.js';
import { regionHeader } from '../rules/region-header.js';
import { renderLocationConstraint } from '../xml/location-constraint.js';
import { bucketVersioning } from './configuration.js';

/**
 * The header tells users who may list a bucket that it keeps versions: `Enabled` or `Suspended`.
 * GetBucketVersioning is for the owner alone, and the console has to know it for other users as well.
 */
const VERSIONING_HEADER = 'x-ringway-bucket-versioning';

/** HeadBucket: whether it exists, and where. */
export async function headBucket(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  const { systemMetadata } = await backend.headContainer(context.call, containerOf(context));
  const versioning = bucketVersioning(systemMetadata);
  return {
    status: 200,
    headers: [
      ...regionHeader(settings.region),
      ...(versioning === 'unversioned' ? [] : [[VERSIONING_HEADER, versioning] as const]),
    ],
  };
}

/** GetBucketLocation: the configured location, for a bucket that exists (SPEC.md 4.2). */
export async function getBucketLocation(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  await backend.headContainer(context.call, containerOf(context));
  return xmlResponse(renderLocationConstraint(settings.location));
}
