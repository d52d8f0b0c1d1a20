import { expect } from 'chai';

import { createDigestFactory } from '../../../src/digest/index.js';
import type { RequestHead } from '../../../src/http/exchange.js';
import {
  createAuthenticator,
  type Authentication,
  type Authenticator,
  type AuthenticatorOptions,
} from '../../../src/s3/auth/authenticate.js';
import { RosterCredentials } from '../../../src/s3/auth/principal.js';
import { type ErrorCode, S3Error } from '../../../src/s3/errors.js';
import { signHeaders, sha256Hex, type SigningIdentity } from '../../support/sigv4.js';
import { requestHead } from '../../support/requests.js';

/** The identity and the date of the examples in AWS's documentation. */
export const IDENTITY: SigningIdentity = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
export const DATE = new Date('2013-05-24T00:00:00Z');
export const NOW = DATE.getTime();
export const EMPTY_SHA256 = sha256Hex('');
export const HOST = 'gateway.example:8000';

/** {@link DATE} as clients write it in a `Date` header. */
export const REQUEST_DATES: readonly string[] = [
  'Fri, 24 May 2013 00:00:00 GMT',
  'Fri, 24 May 2013 00:00:00 +0000',
  'Fri, 24 May 2013 00:00:00 -0000',
  'Fri, 24 May 2013 00:00:00 +00:00',
  'Fri, 24 May 2013 00:00:00 UTC',
  'Fri, 24 May 2013 00:00:00 UT',
  'Fri, 24 May 2013 00:00:00 Z',
  '24 May 2013 00:00:00 -0000',
  'Friday, 24-May-13 00:00:00 GMT',
  'Fri May 24 00:00:00 2013',
  '20130524T000000Z',
  '2013-05-24T00:00:00Z',
  '2013-05-24T00:00:00.000Z',
  '2013-05-24T00:00:00+00:00',
];

/** Everything on the event loop, so that tests need no threads. */
export const INLINE = createDigestFactory({ inlineBytesMax: Number.MAX_SAFE_INTEGER });

export function authenticatorAt(
  now: number = NOW,
  options: Partial<AuthenticatorOptions> = {},
): Authenticator {
  return createAuthenticator({
    credentials: new RosterCredentials([
      {
        accessKey: IDENTITY.accessKey,
        secretKey: IDENTITY.secretKey,
        account: 'AUTH_test',
        role: 'owner',
      },
    ]),
    region: IDENTITY.region,
    digests: INLINE,
    clock: () => now,
    ...options,
  });
}

/** A request of our own, signed by the independent signer. */
export function signedRequest(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  contentSha256 = EMPTY_SHA256,
  date = DATE,
): RequestHead {
  const bare = requestHead(method, url, { host: HOST, ...headers });
  const signed = signHeaders(
    IDENTITY,
    {
      method,
      rawPath: bare.rawPath,
      rawQuery: bare.rawQuery,
      headers: { host: HOST, ...headers },
    },
    date,
    contentSha256,
  );
  return requestHead(method, url, signed);
}

/** The request with another value of a header, or without it. */
export function withHeader(
  request: RequestHead,
  name: string,
  value: string | undefined,
): RequestHead {
  const headers = new Map(request.headers);
  if (value === undefined) headers.delete(name);
  else headers.set(name, value);
  return { ...request, headers };
}

export async function verify(request: RequestHead, now = NOW): Promise<Authentication> {
  return await authenticatorAt(now).authenticate(request);
}

/** @returns the S3 error that the attempt ends with; anything else fails the test */
export async function s3Failure(attempt: () => unknown): Promise<S3Error> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  return expect.fail('expected an S3 error');
}

export async function expectRefusal(
  request: RequestHead,
  code: ErrorCode,
  now = NOW,
): Promise<S3Error> {
  const error = await s3Failure(() => verify(request, now));
  expect(error.code, error.message).to.equal(code);
  return error;
}
