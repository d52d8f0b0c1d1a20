import { S3Error } from '../../src/s3/errors.js';
import { queryOf, type Query } from '../../src/s3/request/query.js';
import { parseQuery } from '../../src/lib/uri.js';

/** The query of a raw text, as the endpoint parser makes it. */
export function query(raw: string): Query {
  return queryOf(parseQuery(raw)!);
}

/** Headers as the edge hands them on: lower-case names. */
export function headers(entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries));
}

/** The S3Error that `call` throws; anything else, or nothing, fails the test. */
export function s3ErrorOf(call: () => unknown): S3Error {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error(`no S3Error, but ${JSON.stringify(result)}`);
}

/** Its code and details in one value, to compare at once. */
export function s3FailureOf(call: () => unknown): {
  code: string;
  details: Readonly<Record<string, string>>;
} {
  const { code, details } = s3ErrorOf(call);
  return { code, details };
}
