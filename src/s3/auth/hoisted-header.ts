import type { QueryParameter } from '../../lib/uri.js';
import { isHeaderName, isHeaderValue } from '../rules/header-values.js';
import { S3Error } from '../s3-error.js';
import { trimWhiteSpace } from './white-space.js';

/**
 * A header that stands in the query of a presigned URL: it must be one that HTTP could carry. Behind
 * a line feed, or a colon in the name, a header that was signed could hide in another one: the
 * string to sign of version 2, where they stand unescaped, would stay the same.
 *
 * @param name - the parameter's, in lower case
 * @returns the value as a header's: without white space around it
 * @throws S3Error InvalidArgument
 */
export function hoistedValue(name: string, { value = '', rawName }: QueryParameter): string {
  if (isHeaderName(name) && isHeaderValue(value)) return trimWhiteSpace(value);
  // As it was sent, since the name itself may be what no document should repeat.
  throw new S3Error('InvalidArgument', 'A header in the query is none that HTTP can carry', {
    ArgumentName: rawName,
  });
}
