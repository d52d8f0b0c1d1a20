import { configurationPatch } from '../../bucket-configuration.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { requireBytes, XML_BOUNDS } from '../../xml/bounds.js';
import { containerOf } from '../refs.js';
import { readDocument } from '../request-document.js';

/** PutBucketCors: replaces all rules. SPEC.md 4.5. */
export async function putBucketCors(context: RequestContext): Promise<S3Response> {
  const document = await readDocument(context, 'CORSConfiguration');
  // Escaped, it may be longer than what was sent; it has to be read again by the same rules.
  requireBytes(Buffer.from(document), XML_BOUNDS.CORSConfiguration);
  await context.services.backend.updateContainer(context.call, containerOf(context), {
    systemMetadata: configurationPatch('cors', document),
  });
  return { status: 200, headers: [], body: '' };
}
