import { expect } from 'chai';
import fc from 'fast-check';
import { requestHead } from '../../support/requests.js';
import { presignQueryV2, signHeadersV2 } from '../../support/sigv2.js';
import {
  expectNoOtherQuery,
  grammar,
  isAccepted,
  replaced,
  withAuthorization,
  withQuery,
} from './fuzzing.js';
import { DATE, HOST, IDENTITY, NOW } from './support.js';

/** Every request ends in an S3 error or has a true signature, and never does anything else. */

const RUNS = { numRuns: 2000 };
const HEADERS = { host: HOST, date: DATE.toUTCString(), 'x-amz-meta-a': '1' };
const TO_SIGN = { method: 'GET', rawPath: '/bucket/key', headers: HEADERS };
const REQUEST = requestHead('GET', '/bucket/key', signHeadersV2(IDENTITY, TO_SIGN));
const AUTHORIZATION = REQUEST.headers.get('authorization')!;
const PRESIGNED = presignQueryV2(
  IDENTITY,
  { ...TO_SIGN, rawQuery: 'versionId=a', headers: {} },
  new Date(NOW + 1000),
);

describe('authentication with version 2 under fuzz', () => {
  before(() => {
    expect(isAccepted(REQUEST)).to.be.true;
    expect(isAccepted(withQuery(PRESIGNED))).to.be.true;
  });

  it('accepts no Authorization header with a changed character', () => {
    fc.assert(
      fc.property(replaced(AUTHORIZATION), (authorization) => {
        // Space around the credential is none of it.
        fc.pre(authorization.trim() !== AUTHORIZATION);
        expect(isAccepted(withAuthorization(REQUEST, authorization)), authorization).to.be.false;
      }),
      RUNS,
    );
  });

  it('survives any Authorization header', () => {
    const pieces = ['AWS', 'AWS ', ' ', ':', '=', IDENTITY.accessKey, AUTHORIZATION.slice(-28)];
    const header = fc.oneof(
      grammar(pieces),
      grammar(pieces).map((text) => `AWS ${text}`),
      fc.string({ unit: 'binary' }).map((text) => `AWS ${IDENTITY.accessKey}:${text}`),
    );
    fc.assert(
      fc.property(header, (authorization) => {
        fc.pre(authorization.replace(/^AWS\s+/, 'AWS ').trim() !== AUTHORIZATION);
        expect(isAccepted(withAuthorization(REQUEST, authorization))).to.be.false;
      }),
      RUNS,
    );
  });

  it('accepts no presigned query that says something else', () => {
    expectNoOtherQuery(PRESIGNED, RUNS);
  });

  it('survives any query, any path and any headers', () => {
    const query = grammar([
      ...PRESIGNED.split(/(?=[&=])/),
      '&',
      '=',
      '%',
      '+',
      '&acl',
      '&x-amz-a=',
    ]);
    const names = ['x-amz-date', 'date', 'x-amz-content-sha256', 'content-md5', 'x-amz-meta-a'];
    const headers = fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' }));
    const path = grammar(['/', '%', '%2F', 'é', '..', 'b']).map((text) => `/${text}`);
    fc.assert(
      fc.property(query, headers, path, fc.boolean(), (rawQuery, more, rawPath, header) => {
        const base = header ? Object.fromEntries(REQUEST.headers) : {};
        const request = requestHead('GET', '/other', { ...base, ...more });
        expect(isAccepted({ ...request, rawPath, rawQuery })).to.be.false;
      }),
      RUNS,
    );
  });
});
