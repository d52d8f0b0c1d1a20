import { storedLifecycle } from '../../bucket-lifecycles.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { renderLifecycleConfiguration } from '../../xml/lifecycle-configuration.js';
import { containerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketLifecycleConfiguration. */
export async function getBucketLifecycleConfiguration(
  context: RequestContext,
): Promise<S3Response> {
  const head = await context.services.backend.headContainer(context.call, containerOf(context));
  const configuration = storedLifecycle(head.systemMetadata);
  if (configuration === undefined) {
    throw new S3Error('NoSuchLifecycleConfiguration', undefined, {
      BucketName: context.endpoint.bucket,
    });
  }
  return xmlResponse(renderLifecycleConfiguration(configuration));
}
