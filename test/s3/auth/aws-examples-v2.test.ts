import type { RequestHead } from '../../../src/http/exchange.js';
import { presignQueryV2, signHeadersV2 } from '../../support/sigv2.js';
import { requestHead } from '../../support/requests.js';
import { expect } from 'chai';
import { authenticatorAt, IDENTITY } from './support.js';

/**
 * The examples of "Signing and authenticating REST requests (AWS signature version 2)", in the
 * edition with the bucket `johnsmith`.
 */

interface Example {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bucket that the example's host name has. */
  readonly hostBucket?: string;
  readonly signature: string;
}

const EXAMPLES: readonly Example[] = [
  {
    name: 'Object GET',
    method: 'GET',
    url: '/photos/puppy.jpg',
    headers: { host: 'johnsmith.s3.amazonaws.com', date: 'Tue, 27 Mar 2007 19:36:42 +0000' },
    hostBucket: 'johnsmith',
    signature: 'bWq2s1WEIj+Ydj0vQ697zp+IXMU=',
  },
  {
    name: 'Object PUT',
    method: 'PUT',
    url: '/photos/puppy.jpg',
    headers: {
      'content-type': 'image/jpeg',
      'content-length': '94328',
      host: 'johnsmith.s3.amazonaws.com',
      date: 'Tue, 27 Mar 2007 21:15:45 +0000',
    },
    hostBucket: 'johnsmith',
    signature: 'MyyxeRY7whkBe+bq8fHCL/2kKUg=',
  },
  {
    name: 'List',
    method: 'GET',
    url: '/?prefix=photos&max-keys=50&marker=puppy',
    headers: {
      'user-agent': 'Mozilla/5.0',
      host: 'johnsmith.s3.amazonaws.com',
      date: 'Tue, 27 Mar 2007 19:42:41 +0000',
    },
    hostBucket: 'johnsmith',
    signature: 'htDYFYduRNen8P9ZfE/s9SuKy0U=',
  },
  {
    name: 'Fetch',
    method: 'GET',
    url: '/?acl',
    headers: { host: 'johnsmith.s3.amazonaws.com', date: 'Tue, 27 Mar 2007 19:44:46 +0000' },
    hostBucket: 'johnsmith',
    signature: 'c2WLPFtWHVgbEmeEG93a4cG37dM=',
  },
  {
    name: 'Delete',
    method: 'DELETE',
    url: '/johnsmith/photos/puppy.jpg',
    headers: {
      'user-agent': 'dotnet',
      host: 's3.amazonaws.com',
      date: 'Tue, 27 Mar 2007 21:20:26 +0000',
    },
    signature: 'lx3byBScXR6KzyMaifNkardMwNk=',
  },
  {
    name: 'Upload, to a bucket that is the whole host name, with a repeated header',
    method: 'PUT',
    url: '/db-backup.dat.gz',
    headers: {
      'user-agent': 'curl/7.15.5',
      host: 'static.johnsmith.net:8080',
      date: 'Tue, 27 Mar 2007 21:06:08 +0000',
      'x-amz-acl': 'public-read',
      'content-type': 'application/x-download',
      'content-md5': '4gJE4saaMU4BqNR0kLY+lw==',
      'x-amz-meta-reviewedby': 'joe@johnsmith.net, jane@johnsmith.net',
      'x-amz-meta-filechecksum': '0x02661779',
      'x-amz-meta-checksumalgorithm': 'crc32',
      'content-disposition': 'attachment; filename=database.dat',
      'content-encoding': 'gzip',
      'content-length': '5913339',
    },
    hostBucket: 'static.johnsmith.net',
    signature: 'ilyl83RwaSoYIEdixDQcA4OnAnc=',
  },
  {
    name: 'List all my buckets',
    method: 'GET',
    url: '/',
    headers: { host: 's3.amazonaws.com', date: 'Wed, 28 Mar 2007 01:29:59 +0000' },
    signature: 'qGdzdERIC03wnaRNKh6OqZehG9s=',
  },
  {
    name: 'Unicode keys, escaped in both cases',
    method: 'GET',
    url: '/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re',
    headers: { host: 's3.amazonaws.com', date: 'Wed, 28 Mar 2007 01:49:49 +0000' },
    signature: 'DNEZGsoieTZ92F3bUfSPQcbGmlM=',
  },
];

async function verify(request: RequestHead, hostBucket: string | undefined, now: number) {
  return authenticatorAt(now).authenticate(request, undefined, hostBucket);
}

describe('the examples of AWS for signature version 2', () => {
  for (const { name, method, url, headers, hostBucket, signature } of EXAMPLES) {
    it(name, async () => {
      const signed = { ...headers, authorization: `AWS ${IDENTITY.accessKey}:${signature}` };
      const now = Date.parse(headers.date ?? '');
      const request = requestHead(method, url, signed);
      const { principal } = await verify(request, hostBucket, now);
      expect(principal.accessKey).to.equal(IDENTITY.accessKey);
    });
  }

  it('Query string request authentication', async () => {
    const url =
      '/photos/puppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620';
    const request = requestHead('GET', url, { host: 'johnsmith.s3.amazonaws.com' });
    await verify(request, 'johnsmith', 1_175_139_620_000 - 1);
  });

  it('are what the signer of these tests makes', () => {
    for (const { method, url, headers, hostBucket, signature } of EXAMPLES) {
      const { rawPath, rawQuery } = requestHead(method, url, {});
      const toSign = {
        method,
        rawPath,
        rawQuery,
        headers: {
          ...headers,
          ...(headers['x-amz-meta-reviewedby'] === undefined
            ? {}
            : { 'x-amz-meta-reviewedby': 'joe@johnsmith.net,jane@johnsmith.net' }),
        },
        ...(hostBucket === undefined ? {} : { hostBucket }),
      };
      const { authorization } = signHeadersV2(IDENTITY, toSign);
      expect(authorization).to.equal(`AWS ${IDENTITY.accessKey}:${signature}`);
    }
    const bare = { method: 'GET', rawPath: '/photos/puppy.jpg', headers: {} };
    const toSign = { ...bare, hostBucket: 'johnsmith' };
    const presigned = presignQueryV2(IDENTITY, toSign, new Date(1_175_139_620_000));
    expect(presigned).to.contain('Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D');
  });
});
