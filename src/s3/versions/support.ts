import type { Capabilities } from '../../backend/backend.js';
import { S3Error } from '../s3-error.js';

/**
 * Versions and their locks stand and fall with metadata that no client of the store can forge: a
 * store that cannot keep it apart is refused here, and not trusted. So is one where several writers
 * may create the same object: nothing would keep their commits apart.
 *
 * @throws S3Error `NotImplemented`
 */
export function requireVersionSupport({ systemMetadata, atomicCreate }: Capabilities): void {
  if (systemMetadata && atomicCreate) return;
  throw new S3Error(
    'NotImplemented',
    'The storage behind this service cannot protect the metadata of versions.',
  );
}
