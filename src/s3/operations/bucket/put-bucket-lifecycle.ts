import { lifecyclePatch } from '../../bucket-lifecycles.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { validateLifecycle } from '../../rules/lifecycle/validate.js';
import { parseLifecycleConfiguration } from '../../xml/lifecycle-configuration.js';
import { XML_BODY_BYTES_MAX } from '../../xml/parse.js';
import { containerOf } from '../refs.js';

/** PutBucketLifecycleConfiguration: replaces all rules. The janitor carries them out. */
export async function putBucketLifecycleConfiguration(
  context: RequestContext,
): Promise<S3Response> {
  const { backend, settings, lifecycles } = context.services;
  const configuration = parseLifecycleConfiguration(
    await context.openPayload().collect(XML_BODY_BYTES_MAX),
  );
  validateLifecycle(configuration, settings.storageClasses);
  const systemMetadata = lifecyclePatch(configuration);
  await backend.updateContainer(context.call, containerOf(context), { systemMetadata });
  lifecycles.forget(containerOf(context));
  return { status: 200, headers: [], body: '' };
}
