import { expect } from 'chai';
import fc from 'fast-check';
import type { RequestHead } from '../../../src/http/exchange.js';
import { S3Error } from '../../../src/s3/errors.js';
import { parseQuery } from '../../../src/lib/uri.js';
import { requestHead } from '../../support/requests.js';
import { authenticatorAt, HOST } from './support.js';

/** Inputs in place of a true signature, and whether they are let in. */

export const AUTHENTICATOR = authenticatorAt();

/** @returns whether the request was accepted; throws what is not an S3 error */
export function isAccepted(request: RequestHead): boolean {
  try {
    void AUTHENTICATOR.authenticate(request);
    return true;
  } catch (error) {
    if (error instanceof S3Error) return false;
    throw error;
  }
}

export function withAuthorization(request: RequestHead, authorization: string): RequestHead {
  return { ...request, headers: new Map(request.headers).set('authorization', authorization) };
}

/** A GET of `/bucket/key` with this query and no other signature. */
export function withQuery(rawQuery: string): RequestHead {
  return requestHead('GET', `/bucket/key?${rawQuery}`, { host: HOST });
}

/** Pieces that parsers look for, in any order, between any text. */
export function grammar(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })), { maxLength: 14 })
    .map((parts) => parts.join(''));
}

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

/** The text with another character in one place. */
export function replaced(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(text.length - 1), printable)
    .map(([at, character]) => text.slice(0, at) + character + text.slice(at + 1))
    .filter((changed) => changed !== text);
}

/** @throws when a presigned query is accepted that a change has given another meaning */
export function expectNoOtherQuery(presigned: string, runs: fc.Parameters<[string]>): void {
  const meaning = (query: string): string =>
    JSON.stringify(parseQuery(query)?.map(({ name, value }) => [name, value]));
  const signed = meaning(presigned);
  fc.assert(
    fc.property(replaced(presigned), (query) => {
      fc.pre(meaning(query) !== signed);
      expect(isAccepted(withQuery(query)), query).to.be.false;
    }),
    runs,
  );
}
