import { S3Error } from '../errors.js';
import { type RequestContext, type S3Response, containerOf, xmlResponse } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { decodeConfiguration, storedConfiguration, configurationPatch } from './configuration.js';
import { readStoredLifecycle } from './lifecycles.js';

/** GetBucketLifecycleConfiguration: the rules as they are stored, which is as the service writes them. */
export async function getBucketLifecycleConfiguration(
  context: RequestContext,
): Promise<S3Response> {
  const head = await context.containerHead({ newest: true });
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

/** PutBucketLifecycleConfiguration: replaces all rules. The janitor carries them out. */
export async function putBucketLifecycleConfiguration(
  context: RequestContext,
): Promise<S3Response> {
  const { backend, settings, lifecycles } = context.services;
  const { storageClasses } = settings;
  const document = await readDocument(context, 'LifecycleConfiguration', { storageClasses });
  const systemMetadata = configurationPatch('lifecycle', document);
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  lifecycles.forget(containerOf(context));
  return { status: 200, headers: [], body: '' };
}

/** DeleteBucketLifecycle: 204, also when there are no rules. */
export async function deleteBucketLifecycle(context: RequestContext): Promise<S3Response> {
  const { backend, lifecycles } = context.services;
  const systemMetadata = configurationPatch('lifecycle', undefined);
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  lifecycles.forget(containerOf(context));
  return { status: 204, headers: [] };
}
