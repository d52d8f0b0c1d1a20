import { expect } from 'chai';
import type { Capabilities } from '../../src/backend/backend.js';
import { S3Error } from '../../src/s3/errors.js';
import { queryOf, type Query } from '../../src/s3/request/query.js';
import { parseQuery } from '../../src/lib/uri.js';

/** The query of a raw text, as the endpoint parser makes it. */
export function query(raw: string): Query {
  return queryOf(parseQuery(raw)!);
}

/** A store that decides nothing atomically and protects no metadata. */
export const WEAK_STORE: Capabilities = {
  atomicCreate: false,
  conditionalReplace: false,
  conditionalDelete: false,
  exclusiveDelete: false,
  orderedWrites: false,
  unsizedBodies: false,
  containerStaleMs: 0,
  listingUpdates: true,
  bodyUpdates: true,
  takesMd5: false,
  atomicGuard: false,
  systemMetadata: false,
  objectNameBytesMax: 1024,
  segmentsMax: 1000,
};

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

/** The S3Error that `call` has to throw: with this code and, where they are given, these details. */
export function expectS3Error(
  call: () => unknown,
  code: string,
  details?: Readonly<Record<string, string>>,
): S3Error {
  const error = s3ErrorOf(call);
  expect(error.code, error.message).to.equal(code);
  if (details !== undefined) expect(error.details).to.deep.equal(details);
  return error;
}

export function expectInvalidArgument(call: () => unknown, name: string, value: string): S3Error {
  return expectS3Error(call, 'InvalidArgument', { ArgumentName: name, ArgumentValue: value });
}
