import { configurationPatch } from '../../bucket-configuration.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { S3Error } from '../../s3-error.js';
import {
  CORS_BYTES_MAX,
  parseCorsConfiguration,
  renderCorsConfiguration,
} from '../../xml/cors-configuration.js';
import { containerOf } from '../refs.js';

/** PutBucketCors: replaces all rules. SPEC.md 4.5. */
export async function putBucketCors(context: RequestContext): Promise<S3Response> {
  const body = await context.openPayload().collect(CORS_BYTES_MAX);
  const document = renderCorsConfiguration(parseCorsConfiguration(body));
  // Escaped, it may be longer than what was sent; it has to be read again by the same rules.
  if (Buffer.byteLength(document) > CORS_BYTES_MAX) throw new S3Error('MaxMessageLengthExceeded');
  await context.services.backend.updateContainer(context.call, containerOf(context), {
    systemMetadata: configurationPatch('cors', document),
  });
  return { status: 200, headers: [], body: '' };
}
