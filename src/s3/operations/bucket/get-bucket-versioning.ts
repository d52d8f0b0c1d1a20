import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { renderVersioningConfiguration } from '../../xml/versioning-configuration.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketVersioning. SPEC.md 4.2. */
export async function getBucketVersioning(context: RequestContext): Promise<S3Response> {
  const { systemMetadata } = await context.containerHead();
  return xmlResponse(renderVersioningConfiguration(bucketVersioning(systemMetadata)));
}
