import type { S3Response } from '../operation.js';

/** A success whose body is an XML document. */
export function xmlResponse(document: string): S3Response {
  return { status: 200, headers: [['Content-Type', 'application/xml']], body: document };
}
