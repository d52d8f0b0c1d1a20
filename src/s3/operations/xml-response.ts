import type { HeaderList } from '../../http/exchange.js';
import type { S3Response } from '../operation.js';

/** A success whose body is an XML document. */
export function xmlResponse(document: string | Buffer, headers: HeaderList = []): S3Response {
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml'], ...headers],
    body: document,
  };
}
