import { createHmac } from 'node:crypto';
import { trimAscii, type RequestToSign, type SigningIdentity } from './sigv4.js';

/**
 * A signer of version 2 for tests, written from AWS's documentation alone, as sigv4.ts is.
 */

/** "CanonicalizedResource": AWS's list, and what its SDKs added later. */
const SIGNED =
  'acl accelerate analytics cors delete encryption inventory legal-hold lifecycle location logging metrics notification object-lock partNumber policy publicAccessBlock replication requestPayment restore retention select select-type tagging torrent uploadId uploads versionId versioning versions website response-content-type response-content-language response-expires response-cache-control response-content-disposition response-content-encoding'.split(
    ' ',
  );

export interface RequestToSignV2 extends RequestToSign {
  /** The bucket, when it stands in the host name. */
  readonly hostBucket?: string;
}

type SecretIdentity = Pick<SigningIdentity, 'accessKey' | 'secretKey'>;

/** The request's headers, with `authorization`; a `date` or `x-amz-date` must be among them. */
export function signHeadersV2(
  identity: SecretIdentity,
  request: RequestToSignV2,
): Record<string, string> {
  const { headers } = request;
  const date = headers['x-amz-date'] === undefined ? (headers.date ?? '') : '';
  const signature = signV2(identity.secretKey, request, date);
  return { ...headers, authorization: `AWS ${identity.accessKey}:${signature}` };
}

/** The raw query of the presigned URL. */
export function presignQueryV2(
  identity: SecretIdentity,
  request: RequestToSignV2,
  expiresAt: Date,
): string {
  const expires = String(Math.floor(expiresAt.getTime() / 1000));
  const parameters = new URLSearchParams({
    AWSAccessKeyId: identity.accessKey,
    Expires: expires,
    Signature: signV2(identity.secretKey, request, expires),
  });
  const own = request.rawQuery === undefined || request.rawQuery === '' ? [] : [request.rawQuery];
  return [...own, parameters.toString()].join('&');
}

export function stringToSignV2(request: RequestToSignV2, date: string): string {
  const { method, headers } = request;
  const amz = Object.keys(headers)
    .filter((name) => name.startsWith('x-amz-'))
    .sort()
    .map((name) => `${name}:${trimAscii(headers[name] ?? '')}\n`);
  return [
    method,
    headers['content-md5'] ?? '',
    headers['content-type'] ?? '',
    date,
    amz.join('') + resource(request),
  ].join('\n');
}

function signV2(secretKey: string, request: RequestToSignV2, date: string): string {
  return createHmac('sha1', secretKey).update(stringToSignV2(request, date)).digest('base64');
}

function resource({ rawPath, rawQuery = '', hostBucket }: RequestToSignV2): string {
  const path = hostBucket === undefined ? rawPath : `/${hostBucket}${rawPath}`;
  const parts = rawQuery
    .split('&')
    .map((piece) => {
      const [name = '', ...value] = piece.split('=');
      return value.length === 0 ? [name] : [name, decodeURIComponent(value.join('='))];
    })
    .filter(([name = '']) => SIGNED.includes(name))
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map((part) => part.join('='));
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}
