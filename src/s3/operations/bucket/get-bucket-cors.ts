import { decodeConfiguration, storedConfiguration } from '../../bucket-configuration.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import { xmlResponse } from '../xml-response.js';

/** GetBucketCors: the rules as they are stored, which is as the service writes them. */
export async function getBucketCors(context: RequestContext): Promise<S3Response> {
  const { systemMetadata } = await context.containerHead();
  const stored = storedConfiguration(systemMetadata, 'cors');
  if (stored === undefined) throw new S3Error('NoSuchCORSConfiguration');
  return xmlResponse(decodeConfiguration(stored).toString('utf8'));
}
