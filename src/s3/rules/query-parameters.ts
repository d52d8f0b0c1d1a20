import type { Query } from '../request/query.js';
import { S3Error } from '../errors.js';
import { decodeContinuationToken } from './continuation-token.js';

/** Readers of parameters that several operations share, with AWS's answers to false values. */

/** Beyond it AWS refuses a number. */
export const INT32_MAX = 2_147_483_647;

/**
 * A number such as `max-keys`: `most` when absent; what is larger is clamped to it.
 * @throws S3Error `InvalidArgument` unless it is an integer between 0 and 2^31 - 1
 */
export function parseCount(query: Query, name: string, most: number): number {
  return Math.min(parseInteger(query, name) ?? most, most);
}

/**
 * @returns undefined when absent
 * @throws S3Error `InvalidArgument` unless it is an integer between 0 and 2^31 - 1
 */
export function parseInteger(query: Query, name: string): number | undefined {
  const value = query.get(name);
  if (value === undefined) return undefined;
  const negative = value.startsWith('-');
  const digits = negative ? value.slice(1) : value;
  if (!isDecimal(digits)) {
    throw invalidArgument(name, value, `Provided ${name} not an integer or within integer range`);
  }
  const count = Number(digits);
  if (negative || count > INT32_MAX) throw outOfRange(name, value, 0, INT32_MAX);
  return count;
}

/** Whether names in the result are to be percent-encoded. @throws S3Error `InvalidArgument` */
export function parseEncodingType(query: Query): boolean {
  const value = query.get('encoding-type');
  if (value === undefined) return false;
  if (value === 'url') return true;
  throw invalidArgument('encoding-type', value, 'Invalid Encoding Method specified in Request');
}

/** The delimiter that a listing groups names by. An empty one is none, and is not echoed either. */
export function parseDelimiter(query: Query): string | undefined {
  const sent = query.get('delimiter');
  return sent === '' ? undefined : sent;
}

/**
 * The name behind which a page begins; empty without a token. An empty token counts as none, like
 * in Swift's s3api and Ceph; it is echoed as sent.
 *
 * @throws S3Error `InvalidArgument` for a token that this service has not made
 */
export function parseContinuationToken(query: Query): string {
  const token = query.get('continuation-token') ?? '';
  return token === '' ? '' : decodeContinuationToken(token);
}

/** Digits and nothing else; at least one. */
export function isDecimal(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return text !== '';
}

export function outOfRange(name: string, value: string, least: number, most: number): S3Error {
  const message = `Argument ${name} must be an integer between ${least} and ${most}`;
  return invalidArgument(name, value, message);
}

export function invalidArgument(name: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', message, { ArgumentName: name, ArgumentValue: value });
}
