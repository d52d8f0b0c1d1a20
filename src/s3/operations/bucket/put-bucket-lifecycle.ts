import { configurationPatch } from '../../bucket-configuration.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { containerOf } from '../refs.js';
import { readDocument } from '../request-document.js';

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
