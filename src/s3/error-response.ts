import { errorEntry } from './errors.js';
import type { Endpoint } from './endpoint.js';
import type { S3Response } from './operation.js';
import { resourceDetails, type S3Error } from './s3-error.js';
import { hostId } from '../telemetry/request-id.js';
import { renderError } from './xml/error.js';

/**
 * The answer to a failed request: SPEC.md 7.1. HEAD gets the status and headers alone, as HTTP
 * demands; its client finds the request id there.
 *
 * @param endpoint undefined when the request line could not be read
 */
export function errorResponse(
  error: S3Error,
  endpoint: Endpoint | undefined,
  method: string,
  requestId: string,
): S3Response {
  const { status, message } = errorEntry(error.code);
  if (method === 'HEAD') return { status, headers: error.headers };
  const body = renderError({
    code: error.code,
    message: error.message === '' ? message : error.message,
    requestId,
    hostId: hostId(requestId),
    // What an error says of a resource goes first: it may be about the source of a copy.
    details: { ...resourceDetails(endpoint?.bucket ?? '', endpoint?.key ?? ''), ...error.details },
  });
  return { status, headers: [['Content-Type', 'application/xml'], ...error.headers], body };
}
