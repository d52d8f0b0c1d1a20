import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { S3Answer, S3Request } from '../../support/s3-client.js';
import { useUploadBench } from '../multipart-bench.js';

/** Every operation that reads a document, with every kind of document that none may read. */

const BUCKET = '/parts';
const OBJECT = '/parts/key';
const OWNER = '<Owner><ID>main:RINGWAYTESTKEY</ID></Owner>';
const KIB = 1024;

interface Reader {
  readonly method: 'PUT' | 'POST';
  readonly path: string;
  readonly root: string;
  /** The content of the root in a document that is right. */
  readonly inner: string;
  /** Default: MalformedXML. */
  readonly code?: string;
  readonly bytesMax: number;
  /** Default: what a GET of the path shows. */
  readonly shownBy?: string;
}

const ACL = { root: 'AccessControlPolicy', inner: `${OWNER}<AccessControlList/>` };
const TAGS = {
  root: 'Tagging',
  inner: '<TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet>',
};

const READERS: readonly Reader[] = [
  {
    method: 'PUT',
    path: '/created',
    root: 'CreateBucketConfiguration',
    inner: '<LocationConstraint>us-east-1</LocationConstraint>',
    bytesMax: 16 * KIB,
  },
  { method: 'PUT', path: `${BUCKET}?acl`, ...ACL, bytesMax: 256 * KIB, code: 'MalformedACLError' },
  { method: 'PUT', path: `${OBJECT}?acl`, ...ACL, bytesMax: 256 * KIB, code: 'MalformedACLError' },
  { method: 'PUT', path: `${BUCKET}?tagging`, ...TAGS, bytesMax: 256 * KIB },
  { method: 'PUT', path: `${OBJECT}?tagging`, ...TAGS, bytesMax: 64 * KIB },
  {
    method: 'PUT',
    path: `${BUCKET}?cors`,
    root: 'CORSConfiguration',
    inner:
      '<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>',
    bytesMax: 64 * KIB,
  },
  {
    method: 'PUT',
    path: `${BUCKET}?lifecycle`,
    root: 'LifecycleConfiguration',
    inner:
      '<Rule><ID>a</ID><Status>Enabled</Status><Filter/><Expiration><Days>1</Days></Expiration></Rule>',
    bytesMax: 1024 * KIB,
  },
  {
    method: 'PUT',
    path: `${BUCKET}?versioning`,
    root: 'VersioningConfiguration',
    inner: '<Status>Enabled</Status>',
    bytesMax: 4 * KIB,
  },
  {
    method: 'PUT',
    path: '/locked?object-lock',
    root: 'ObjectLockConfiguration',
    inner: '<ObjectLockEnabled>Enabled</ObjectLockEnabled>',
    bytesMax: 4 * KIB,
  },
  {
    method: 'PUT',
    path: '/locked/key?legal-hold',
    root: 'LegalHold',
    inner: '<Status>ON</Status>',
    bytesMax: 4 * KIB,
  },
  {
    method: 'PUT',
    path: '/locked/key?retention',
    root: 'Retention',
    inner: '<Mode>GOVERNANCE</Mode><RetainUntilDate>2099-01-01T00:00:00Z</RetainUntilDate>',
    bytesMax: 4 * KIB,
  },
  {
    method: 'POST',
    path: `${BUCKET}?delete`,
    root: 'Delete',
    inner: '<Object><Key>key</Key></Object>',
    bytesMax: 2048 * KIB,
    shownBy: BUCKET,
  },
];

/** The mistakes, each with its document for a root and its content. */
const WRONG: Readonly<Record<string, (reader: Reader) => string | Buffer>> = {
  'no document': () => 'text',
  'no end': ({ root, inner }) => `<${root}>${inner}`,
  'another root': ({ inner }) => `<Other>${inner}</Other>`,
  'two roots': (reader) => documentOf(reader).repeat(2),
  'another namespace': ({ root, inner }) => `<${root} xmlns="urn:other">${inner}</${root}>`,
  'a document type': (reader) => `<!DOCTYPE ${reader.root}>${documentOf(reader)}`,
  'an entity': ({ root, inner }) =>
    `<!DOCTYPE x [<!ENTITY e "e">]><${root}>${inner}<X>&e;</X></${root}>`,
  'an external entity': ({ root, inner }) =>
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><${root}>${inner}<X>&e;</X></${root}>`,
  'an entity that nobody declared': ({ root, inner }) => `<${root}>${inner}&nbsp;</${root}>`,
  'a processing instruction': (reader) => `<?php x ?>${documentOf(reader)}`,
  'too many levels': ({ root, inner }) =>
    `<${root}>${inner}${'<X>'.repeat(20)}${'</X>'.repeat(20)}</${root}>`,
  'too many attributes': ({ root, inner, bytesMax }) => {
    const length = bytesMax > 4 * KIB ? 700 : 40;
    const attributes = Array.from({ length }, (_, i) => `a${i}=""`).join(' ');
    return `<${root} ${attributes}>${inner}</${root}>`;
  },
  'bytes that are no UTF-8': (reader) =>
    Buffer.concat([Buffer.from(documentOf(reader)), Buffer.from([0xff])]),
};

function documentOf({ root, inner }: Reader): string {
  return `<${root}>${inner}</${root}>`;
}

describe('documents that cannot be read', () => {
  const bench = useUploadBench({});

  before(async () => {
    await bench.s3.put(OBJECT, 'body');
    await bench.s3.put('/locked', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
    await bench.s3.put('/locked/key', 'body');
  });

  function send({ method, path }: Reader, body: string | Buffer): Promise<S3Answer> {
    const md5 = createHash('md5').update(body).digest('base64');
    const request: S3Request = { method, path, body, headers: { 'content-md5': md5 } };
    return bench.s3.send(request);
  }

  for (const reader of READERS) {
    const { method, path, code = 'MalformedXML', bytesMax } = reader;
    const shown = async () => {
      const { status, text } = await bench.s3.get(reader.shownBy ?? path);
      return { status, text: text.replace(/<(RequestId|HostId)>[^<]*/g, '') };
    };

    it(`change nothing by ${method} ${path}`, async () => {
      const before = await shown();
      for (const [what, make] of Object.entries(WRONG)) {
        const answer = await send(reader, make(reader));
        expect([answer.status, answer.code], what).to.deep.equal([400, code]);
      }
      const tooLong = await send(reader, documentOf(reader).padEnd(bytesMax + 1));
      expect([tooLong.status, tooLong.code]).to.deep.equal([400, 'MaxMessageLengthExceeded']);
      expect(await shown()).to.deep.equal(before);
    });

    it(`are not those that are right, of the full length, by ${method} ${path}`, async () => {
      const answer = await send(reader, documentOf(reader).padEnd(bytesMax));
      expect(answer.status, answer.text).to.be.within(200, 204);
    });
  }
});
