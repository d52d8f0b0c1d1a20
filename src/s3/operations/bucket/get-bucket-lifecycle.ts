import { decodeConfiguration, storedConfiguration } from '../../bucket-configuration.js';
import { readStoredLifecycle } from '../../bucket-lifecycles.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { containerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketLifecycleConfiguration: the rules as they are stored, which is as the service writes them. */
export async function getBucketLifecycleConfiguration(
  context: RequestContext,
): Promise<S3Response> {
  const head = await context.services.backend.headContainer(context.call, containerOf(context));
  const stored = storedConfiguration(head.systemMetadata, 'lifecycle');
  if (stored === undefined) {
    throw new S3Error('NoSuchLifecycleConfiguration', undefined, {
      BucketName: context.endpoint.bucket,
    });
  }
  const document = decodeConfiguration(stored);
  await readStoredLifecycle(context.services.documents, document);
  return xmlResponse(document.toString('utf8'));
}
