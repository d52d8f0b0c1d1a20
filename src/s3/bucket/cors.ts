import { S3Error } from '../errors.js';
import { type RequestContext, type S3Response, xmlResponse } from '../operation.js';
import { readDocument } from '../request/request-document.js';
import { requireBytes, XML_BOUNDS } from '../xml/bounds.js';
import { changeBucket } from './change-bucket.js';
import { decodeConfiguration, storedConfiguration, configurationPatch } from './configuration.js';

/** GetBucketCors: the rules as they are stored, which is as the service writes them. */
export async function getBucketCors(context: RequestContext): Promise<S3Response> {
  const { systemMetadata } = await context.containerHead({ newest: true });
  const stored = storedConfiguration(systemMetadata, 'cors');
  if (stored === undefined) throw new S3Error('NoSuchCORSConfiguration');
  return xmlResponse(decodeConfiguration(stored).toString('utf8'));
}

/** PutBucketCors: replaces all rules. SPEC.md 4.5. */
export async function putBucketCors(context: RequestContext): Promise<S3Response> {
  const document = await readDocument(context, 'CORSConfiguration');
  // Escaped, it may be longer than what was sent; it has to be read again by the same rules.
  requireBytes(Buffer.from(document), XML_BOUNDS.CORSConfiguration);
  await changeBucket(context, {
    systemMetadata: configurationPatch('cors', document),
  });
  return { status: 200, headers: [], body: '' };
}

/** DeleteBucketCors: 204 also when there was nothing to delete. SPEC.md 4.5. */
export async function deleteBucketCors(context: RequestContext): Promise<S3Response> {
  await changeBucket(context, {
    systemMetadata: configurationPatch('cors', undefined),
  });
  return { status: 204, headers: [] };
}
