import type { Capabilities } from '../../backend/backend.js';
import type { HeaderMap } from '../../http/exchange.js';
import type { OperationName } from '../endpoint/table.js';
import { S3Error } from '../errors.js';

/**
 * Headers that need a store which protects the gateway's metadata from its clients. Elsewhere, such
 * as on Swift without the gateway's filter, the metadata would be lost or could be forged: the
 * headers are refused as not implemented rather than accepted and forgotten, with any operation,
 * except for values that change nothing. Operations that always need such a store say so in
 * src/s3/operations.ts.
 */
const HEADERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['x-amz-acl', ['private', 'bucket-owner-full-control']],
  ['x-amz-bucket-object-lock-enabled', ['false', 'False']],
  ['x-amz-storage-class', ['STANDARD']],
  ['x-amz-tagging', ['']],
]);

const PREFIXES = ['x-amz-grant-', 'x-amz-object-lock-'] as const;

/**
 * @param isNeeded - whether the operation needs protected metadata, whatever its headers
 * @throws S3Error `NotImplemented`
 */
export function refuseUnprotected(
  { systemMetadata }: Capabilities,
  operation: OperationName,
  isNeeded: boolean,
  headers: HeaderMap,
): void {
  if (systemMetadata) return;
  if (isNeeded) throw notProtected(operation);
  for (const [name, value] of headers) {
    const harmless = HEADERS.get(name);
    const asks =
      harmless === undefined
        ? PREFIXES.some((prefix) => name.startsWith(prefix))
        : !harmless.includes(value);
    if (asks) throw notProtected(name);
  }
}

function notProtected(what: string): S3Error {
  return new S3Error(
    'NotImplemented',
    `The storage behind this service cannot protect the metadata that ${what} needs.`,
    what.startsWith('x-') ? { Header: what } : {},
  );
}
