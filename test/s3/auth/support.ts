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
import { requestHead } from '../../support/requests.js';
import { presignQueryV2, signHeadersV2 } from '../../support/sigv2.js';
import {
  presignQuery,
  type RequestToSign,
  sha256Hex,
  signHeaders,
  type SigningIdentity,
} from '../../support/sigv4.js';

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
export const UNSIGNED = 'UNSIGNED-PAYLOAD';
export const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
export const SIGNED_CHUNKS = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';

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
    credentials: new RosterCredentials([{ ...IDENTITY, account: 'AUTH_test', role: 'owner' }]),
    region: IDENTITY.region,
    digests: INLINE,
    clock: () => now,
    ...options,
  });
}

/** What {@link IDENTITY} has access as. */
export const PRINCIPAL = { accessKey: IDENTITY.accessKey, account: 'AUTH_test', role: 'owner' };

export type Headers = Readonly<Record<string, string>>;

function toSign(method: string, url: string, headers: Headers): RequestToSign {
  return { ...requestHead(method, url, {}), headers: { host: HOST, ...headers } };
}

/** A request of our own, signed by the independent signer. */
export function signedRequest(
  method: string,
  url: string,
  headers: Headers = {},
  contentSha256 = EMPTY_SHA256,
  { date = DATE, identity = IDENTITY } = {},
): RequestHead {
  const request = toSign(method, url, headers);
  return requestHead(method, url, signHeaders(identity, request, date, contentSha256));
}

/** The same with version 2. */
export function signedRequestV2(
  method: string,
  url: string,
  headers: Headers = {},
  identity = IDENTITY,
): RequestHead {
  const request = toSign(method, url, { date: DATE.toUTCString(), ...headers });
  return requestHead(method, url, signHeadersV2(identity, request));
}

/** A presigned URL, used with the headers that it signs. */
export function presignedRequest(
  method: string,
  url: string,
  headers: Headers = {},
  { expiresS = 3600, contentSha256 = UNSIGNED, date = DATE } = {},
): RequestHead {
  const request = toSign(method, url, headers);
  const query = presignQuery(IDENTITY, request, date, expiresS, contentSha256);
  return requestHead(method, `${request.rawPath}?${query}`, request.headers);
}

/** The same with version 2. */
export function presignedRequestV2(
  method: string,
  url: string,
  headers: Headers = {},
  expiresAt = new Date(NOW + 60_000),
): RequestHead {
  const request = toSign(method, url, headers);
  const query = presignQueryV2(IDENTITY, request, expiresAt);
  return requestHead(method, `${request.rawPath}?${query}`, request.headers);
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

/** An attempt that has to end with this S3 error. */
export async function expectFailure(attempt: () => unknown, code: ErrorCode): Promise<S3Error> {
  const error = await s3Failure(attempt);
  expect(error.code, error.message).to.equal(code);
  return error;
}

export function expectRefusal(request: RequestHead, code: ErrorCode, now = NOW): Promise<S3Error> {
  return expectFailure(() => verify(request, now), code);
}
