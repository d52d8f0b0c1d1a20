import type { PayloadOptions } from '../auth/payload-plan.js';
import type { RequestContext } from '../operation.js';
import { XML_BOUNDS, type RequestDocument } from '../xml/bounds.js';
import type { DocumentSettings, ParsedDocument } from '../xml-pool/documents.js';

/**
 * The document in the body of a request, within its bounds, parsed on the event loop or a thread,
 * by its size. The pipeline has authorised the request, and the bucket is looked up first: no
 * client can make the service parse XML for a bucket that is missing, or not its own.
 *
 * @throws S3Error as the document's parser, `MaxMessageLengthExceeded`, `ServiceUnavailable`;
 *   BackendError NoSuchContainer
 */
export async function readDocument<Name extends RequestDocument>(
  context: RequestContext,
  name: Name,
  ...settings: DocumentSettings<Name>
): Promise<ParsedDocument<Name>> {
  const body = await collectDocument(context, name);
  return context.services.documents.parse(name, body, ...settings);
}

/** The body alone, for requests that may have none. @throws as {@link readDocument} */
export async function collectDocument(
  context: RequestContext,
  name: RequestDocument,
  options?: PayloadOptions,
): Promise<Buffer> {
  await context.containerHead();
  return collectBounded(context, name, options);
}

/** Collects the body for CreateBucket, whose bucket does not exist yet. */
export async function collectBounded(
  context: RequestContext,
  name: RequestDocument,
  options?: PayloadOptions,
): Promise<Buffer> {
  return context.openPayload(options).collect(XML_BOUNDS[name].bytes);
}
