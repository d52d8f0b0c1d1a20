import type { Capabilities } from '../../backend/backend.js';
import type { HeaderMap } from '../../http/exchange.js';
import { notImplemented, type Endpoint } from '../endpoint/endpoint.js';
import type { Operation, OperationFacts } from '../operation.js';
import { refuseUnprotected } from '../rules/protected-metadata.js';
import { refuseHeadersInQuery, refuseUnsupportedHeaders } from '../rules/unsupported-headers.js';

/**
 * Refuses what a client asks for and would not get: an operation that this release does not carry out,
 * a header that the operation does not read, and metadata that the store cannot protect.
 *
 * @param headers - the request's, and those that a presigned URL carries in its query
 * @returns the handler of the operation
 * @throws S3Error `NotImplemented`
 */
export function refuseUnsupported(
  endpoint: Endpoint,
  { handler, needsProtectedMetadata, reads }: OperationFacts,
  headers: HeaderMap,
  capabilities: Capabilities,
): Operation {
  if (handler === undefined) throw notImplemented(endpoint);
  refuseUnsupportedHeaders(reads, headers);
  refuseHeadersInQuery(endpoint.query.parameters, headers);
  refuseUnprotected(capabilities, endpoint.operation, needsProtectedMetadata, headers);
  return handler;
}
