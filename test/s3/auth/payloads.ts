import { createHash } from 'node:crypto';
import { expect } from 'chai';

import { createChecksum, type ChecksumAlgorithm } from '../../../src/digest/checksum.js';
import type { RequestBody } from '../../../src/http/exchange.js';
import type { Payload, PayloadOptions } from '../../../src/s3/auth/payload-plan.js';
import type { ErrorCode, S3Error } from '../../../src/s3/errors.js';
import { sizedBody } from '../../support/requests.js';
import { unsignedChunks } from '../../support/sigv4.js';
import { type Headers, s3Failure, signedRequest, UNSIGNED_TRAILER, verify } from './support.js';

/** Payloads of one body, as a request announces it. */

export const DATA = Buffer.from('A body of some length, which arrives in several pieces.');
export const ALGORITHMS: readonly ChecksumAlgorithm[] = [
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'SHA1',
  'SHA256',
];

export function checksumOf(algorithm: ChecksumAlgorithm, data: Uint8Array): string {
  const checksum = createChecksum(algorithm);
  checksum.update(data);
  return checksum.digest().toString('base64');
}

export const MD5 = createHash('md5').update(DATA).digest('base64');
export const CRC32 = checksumOf('CRC32', DATA);
export const OTHER_CRC32 = checksumOf('CRC32', Buffer.from('other'));

export async function open(
  headers: Headers,
  contentSha256: string,
  body: RequestBody = sizedBody(DATA, 10),
  options: PayloadOptions = { md5: 'always' },
): Promise<Payload> {
  const request = signedRequest('PUT', '/bucket/key', headers, contentSha256);
  return (await verify(request)).openPayload(body, options);
}

/** Reads a payload that must fail. @returns the error, and what had been given out before */
export async function readToFailure(payload: Payload): Promise<{ error: S3Error; given: Buffer }> {
  const chunks: Buffer[] = [];
  const error = await s3Failure(async () => {
    for await (const chunk of payload.source) chunks.push(Buffer.from(chunk));
  });
  return { error, given: Buffer.concat(chunks) };
}

/** A whole body that fails verification may never be given out whole. */
export async function expectHeldBack(payload: Payload, code: ErrorCode): Promise<S3Error> {
  const { error, given } = await readToFailure(payload);
  expect(error.code, error.message).to.equal(code);
  expect(given.length).to.be.lessThan(DATA.length);
  expect(() => payload.digests()).to.throw();
  return error;
}

export function chunked(trailers: readonly string[], headers: Headers = {}): Promise<Payload> {
  const names = trailers.map((trailer) => trailer.split(':')[0]).join(',');
  return open(
    { 'x-amz-decoded-content-length': String(DATA.length), 'x-amz-trailer': names, ...headers },
    UNSIGNED_TRAILER,
    sizedBody(unsignedChunks([DATA.subarray(0, 20), DATA.subarray(20)], { trailers }), 9),
  );
}
