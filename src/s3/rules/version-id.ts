import type { Query } from '../request/query.js';
import type { S3Error } from '../errors.js';
import { invalidArgument } from './query-parameters.js';

/** The version of an object written while its bucket keeps no versions. */
export const NULL_VERSION_ID = 'null';

const LENGTH = 32;

/** `null`, or 32 lower-case hexadecimal characters: SPEC.md 2.2. */
export function isVersionId(text: string): boolean {
  return text === NULL_VERSION_ID || (text.length === LENGTH && isLowerHex(text));
}

/**
 * The version that a request names.
 * @returns undefined when it names none
 * @throws S3Error `InvalidArgument` for a malformed id
 */
export function parseVersionId(query: Query): string | undefined {
  const value = query.get('versionId');
  if (value === undefined || isVersionId(value)) return value;
  if (value !== '') throw invalidVersionId('versionId', value);
  throw invalidArgument('versionId', value, 'Version id cannot be the empty string');
}

/** The answer to a malformed id in the parameter of that name. */
export function invalidVersionId(name: string, value: string): S3Error {
  return invalidArgument(name, value, 'Invalid version id specified');
}

function isLowerHex(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const digit = code >= 0x30 && code <= 0x39;
    if (!digit && !(code >= 0x61 && code <= 0x66)) return false;
  }
  return true;
}
