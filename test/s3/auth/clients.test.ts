import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  ChecksumAlgorithm,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { Client as MinioClient } from 'minio';

import type { Authentication } from '../../../src/s3/auth/authenticate.js';
import { useOnce } from '../../support/fixture.js';
import { bodyOf, requestHead } from '../../support/requests.js';
import { serve } from '../../support/serve.js';
import { authenticatorAt, IDENTITY, verify } from './support.js';

/** Requests as real clients sign them and put them on the wire. */

const KEYS = [
  'plain.txt',
  'a b+c@d%e?f#g',
  'a/../b//c/./~d',
  "it's(1)*!",
  'ünï-テスト-🎉',
  'a=b&c;d,e:f"g<h>i|j\\k^l`m{n}o[p]',
  'x'.repeat(1017),
];
const BODY = Buffer.from('some bytes to store '.repeat(5000));
const LIMIT = 1_000_000;

interface Seen {
  readonly authentication: Authentication;
  readonly method: string;
  readonly contentSha256: string | undefined;
  readonly body: Buffer;
  readonly checksum: string | undefined;
}

/** Verifies what arrives, with today's clock, and answers just enough for the client to go on. */
class Gateway {
  readonly seen: Seen[] = [];
  readonly failures: unknown[] = [];
  readonly #authenticator = authenticatorAt(0, { clock: undefined });

  readonly listener: RequestListener = (request, response) => {
    this.#take(request)
      .catch((error: unknown) => this.failures.push(error))
      .finally(() => {
        response.setHeader('etag', '"x"');
        response.end(request.method === 'POST' ? '<DeleteResult/>' : '<ListBucketResult/>');
      });
  };

  /** The one request since the last call. */
  take(): Seen {
    if (this.failures.length > 0) throw this.failures[0] as Error;
    expect(this.seen).to.have.length(1);
    return this.seen.pop()!;
  }

  async #take(request: IncomingMessage): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const headers: Record<string, string> = {};
    for (const [name, values] of Object.entries(request.headersDistinct)) {
      headers[name] = (values ?? []).join(', ');
    }
    const head = requestHead(request.method ?? '', request.url ?? '', headers);
    const authentication = await this.#authenticator.authenticate(head);
    const length = headers['content-length'];
    const hasBody = length !== undefined || headers['transfer-encoding'] !== undefined;
    const size = length === undefined ? (hasBody ? undefined : 0) : Number(length);
    const payload = authentication.openPayload(bodyOf(pieces, size));
    const body = await payload.collect(LIMIT);
    const checksum = payload.digests().checksum?.algorithm;
    const contentSha256 = headers['x-amz-content-sha256'];
    this.seen.push({ authentication, method: head.method, contentSha256, body, checksum });
  }
}

describe('requests of real clients', () => {
  const gateway = new Gateway();
  const server = useOnce(() => serve(gateway.listener), 'close');
  const sdk = useOnce(
    () =>
      new S3Client({
        endpoint: server().origin,
        region: IDENTITY.region,
        forcePathStyle: true,
        maxAttempts: 1,
        credentials: { accessKeyId: IDENTITY.accessKey, secretAccessKey: IDENTITY.secretKey },
      }),
    'destroy',
  );

  describe('@aws-sdk/client-s3', () => {
    for (const Key of KEYS) {
      it(`stores and reads ${Key.slice(0, 40)}`, async () => {
        await sdk().send(new PutObjectCommand({ Bucket: 'bucket', Key, Body: BODY }));
        const put = gateway.take();
        expect(put.body.equals(BODY)).to.be.true;
        expect(put.checksum).to.equal('CRC32');
        await sdk().send(new GetObjectCommand({ Bucket: 'bucket', Key }));
        gateway.take();
      });
    }

    it('streams with a trailing checksum', async () => {
      await sdk().send(
        new PutObjectCommand({
          Bucket: 'bucket',
          Key: 'stream',
          Body: Readable.from([BODY.subarray(0, 40_000), BODY.subarray(40_000)]),
          ContentLength: BODY.length,
          Metadata: { note: '  two   words ' },
        }),
      );
      const put = gateway.take();
      expect(put.contentSha256).to.equal('STREAMING-UNSIGNED-PAYLOAD-TRAILER');
      expect(put.body.equals(BODY)).to.be.true;
      expect(put.checksum).to.equal('CRC32');
    });

    for (const algorithm of Object.values(ChecksumAlgorithm)) {
      if (!['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'].includes(algorithm)) continue;
      it(`computes ${algorithm} as we do`, async () => {
        const input = { Bucket: 'bucket', Key: 'k', Body: BODY, ChecksumAlgorithm: algorithm };
        await sdk().send(new PutObjectCommand(input));
        expect(gateway.take().checksum).to.equal(algorithm);
      });
    }

    it('lists with every kind of parameter', async () => {
      await sdk().send(
        new ListObjectsV2Command({
          Bucket: 'bucket',
          Prefix: 'a b+c/é&=',
          Delimiter: '/',
          StartAfter: "x'y(z)*~!@",
          ContinuationToken: 'a/b+c==',
        }),
      );
      gateway.take();
    });

    it('deletes many', async () => {
      const Objects = KEYS.map((Key) => ({ Key }));
      await sdk().send(new DeleteObjectsCommand({ Bucket: 'bucket', Delete: { Objects } }));
      expect(gateway.take().body.toString()).to.contain('<Delete');
    });

    it('presigns', async () => {
      for (const Key of KEYS) {
        const command = new GetObjectCommand({
          Bucket: 'bucket',
          Key,
          ResponseContentDisposition: 'attachment; filename="a+b (1).txt"',
        });
        await fetchRaw(await getSignedUrl(sdk(), command, { expiresIn: 600 }), 'GET');
        gateway.take();
      }
    });

    it('presigns uploads, of which the body is not known yet', async () => {
      const command = new PutObjectCommand({
        Bucket: 'bucket',
        Key: 'later',
        Metadata: { color: 'blue' },
      });
      const url = await getSignedUrl(sdk(), command, { expiresIn: 600 });
      expect(url).to.contain('x-amz-checksum-crc32=AAAAAA');
      await fetchRaw(url, 'PUT', BODY);
      const put = gateway.take();
      expect(put.body.equals(BODY)).to.be.true;
      expect(put.authentication.headers.get('x-amz-meta-color')).to.equal('blue');
    });
  });

  describe('minio', () => {
    it('stores, reads, lists and presigns', async () => {
      const minio = new MinioClient({
        endPoint: '127.0.0.1',
        port: server().port,
        useSSL: false,
        ...IDENTITY,
      });
      for (const key of KEYS) {
        await minio.putObject('bucket', key, BODY, BODY.length, { 'x-amz-meta-note': 'a  b' });
        expect(gateway.take().body.equals(BODY)).to.be.true;
        (await minio.getObject('bucket', key)).resume();
        gateway.take();
        await fetchRaw(await minio.presignedGetObject('bucket', key, 600), 'GET');
        gateway.take();
      }
    });
  });

  describe('botocore', () => {
    interface Recorded {
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** As Latin-1. */
      readonly body: string;
    }

    const recorded = JSON.parse(
      readFileSync(join(process.cwd(), 'test/s3/auth/botocore-requests.json'), 'utf8'),
    ) as Recorded[];

    for (const { method, url, headers, body } of recorded) {
      it(`${method} ${url.slice(0, 60)}`, async () => {
        const authentication = await verify(requestHead(method, url, headers));
        const bytes = Buffer.from(body, 'latin1');
        const payload = authentication.openPayload(bodyOf([bytes], bytes.length));
        const plain = await payload.collect(LIMIT);
        if (url.includes('/trailer')) expect(plain.toString()).to.equal('hello'.repeat(10));
        else expect(plain.toString('latin1')).to.equal(body);
      });
    }
  });
});

/** The URL exactly as the presigner wrote it: fetch would collapse `..` and re-escape. */
async function fetchRaw(url: string, method: string, body?: Buffer): Promise<void> {
  const [, host = '', path = ''] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
  const [hostname, port] = host.split(':');
  const sent = request({ hostname, port, path, method, headers: { host } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
}
