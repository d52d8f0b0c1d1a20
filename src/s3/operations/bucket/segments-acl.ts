import type { ContainerAcl } from '../../../backend/backend.js';
import type { RequestContext } from '../../operation.js';
import { segmentsContainer } from '../../segments/names.js';
import { isCode } from '../../versions/backend-codes.js';
import { containerOf } from '../refs.js';

/** Gives the container with the parts of the request's bucket this ACL, where there is one. */
export async function setSegmentsAcl(context: RequestContext, acl: ContainerAcl): Promise<void> {
  const { account, container: bucket } = containerOf(context);
  const segments = segmentsContainer(account, bucket);
  try {
    await context.services.backend.updateContainer(context.call, segments, { acl });
  } catch (error) {
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}
