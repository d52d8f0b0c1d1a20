import type { Backend, Metadata } from '../../../backend/backend.js';
import type { PayloadOptions } from '../../auth/payload-plan.js';

/**
 * When the MD5 of an uploaded body is taken here. A store that takes it anyway does so over what it
 * got, and S3 clients compare the ETag with their own: a second one would only cost as much as all
 * other hashing of the upload. A store that shows attributes in listings has to be told it with them.
 */
export function neededMd5(
  { capabilities }: Pick<Backend, 'capabilities'>,
  listingAttributes?: Metadata,
): PayloadOptions['md5'] {
  const isShown = Object.keys(listingAttributes ?? {}).length > 0;
  return capabilities.takesMd5 && !isShown ? 'with_checksum' : 'always';
}
