import type { Query } from '../request/query.js';
import { S3Error } from '../errors.js';
import { isHeaderValue } from './header-values.js';

/** `response-*` parameters of a signed GetObject or HeadObject: headers of the reader's choice. */

const OVERRIDES: ReadonlyMap<string, string> = new Map([
  ['response-cache-control', 'Cache-Control'],
  ['response-content-disposition', 'Content-Disposition'],
  ['response-content-encoding', 'Content-Encoding'],
  ['response-content-language', 'Content-Language'],
  ['response-content-type', 'Content-Type'],
  ['response-expires', 'Expires'],
]);
const PREFIX = 'response-';

const LATIN1_MAX = 0xff;

/** Header names as they are sent, to their values. */
export type ResponseOverrides = ReadonlyMap<string, string>;

/**
 * Reads the overrides of a signed request. A client that sets response headers can make a browser
 * run what it downloads, so AWS refuses them in unsigned requests (see {@link anonymousOverrides}).
 *
 * @returns undefined when there are none, which is the rule
 * @throws S3Error `InvalidArgument` for what cannot stand in a header, and for any other header
 */
export function parseResponseOverrides(query: Query): ResponseOverrides | undefined {
  let overrides: Map<string, string> | undefined;
  for (const { name, value = '' } of query.parameters) {
    if (!name.startsWith(PREFIX)) continue;
    const header = OVERRIDES.get(name);
    if (header === undefined) throw notOverridable(name, value);
    if (value === '' || overrides?.has(header) === true) continue;
    checkValue(name, value);
    overrides ??= new Map();
    overrides.set(header, value);
  }
  return overrides;
}

/** @throws S3Error as {@link anonymousOverrides}, for an unsigned request that has any */
export function refuseOverrides(query: Query): void {
  if (query.parameters.some(({ name }) => OVERRIDES.has(name))) throw anonymousOverrides();
}

/** The answer to an unsigned request with overrides. */
export function anonymousOverrides(): S3Error {
  return new S3Error(
    'InvalidRequest',
    'Request specific response headers cannot be used for anonymous GET requests.',
  );
}

/** The list with each overridden header replaced, or added at the end. */
export function applyResponseOverrides(
  headers: readonly (readonly [name: string, value: string])[],
  overrides: ResponseOverrides | undefined,
): readonly (readonly [name: string, value: string])[] {
  if (overrides === undefined) return headers;
  return [...headers.filter(([name]) => !overrides.has(name)), ...overrides];
}

function notOverridable(parameter: string, value: string): S3Error {
  const message = `${parameter} is not in the set of overridable response headers. Please refer to the S3 API documentation for a complete list of overridable response headers.`;
  return invalidValue(parameter, value, message);
}

function checkValue(parameter: string, value: string): void {
  if (!isHeaderValue(value)) {
    throw invalidValue(parameter, value, 'Header value cannot contain control characters.');
  }
  for (let i = 0; i < value.length; i++) {
    if (value.charCodeAt(i) > LATIN1_MAX) {
      // AWS's answer and wording; RFC 6266's filename* is the way to name such files.
      const message = 'Header value cannot be represented using ISO-8859-1.';
      throw invalidValue(parameter, value, message);
    }
  }
}

function invalidValue(parameter: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', message, {
    ArgumentName: parameter,
    ArgumentValue: value,
  });
}
