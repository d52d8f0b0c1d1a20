import { expect } from 'chai';
import { encodeUriPath } from '../../src/lib/uri.js';
import { describeWith, pythonModule } from '../support/needs.js';
import { useBench, useSdk } from './harness.js';
import { runBoto3 } from './programs.js';

/** XML 1.0 has these, if only as references. */
const IN_XML_1_0 = ['c1\u0085', 'line\nfeed', 'return\rhere', 'tab\there'];
/** These it has not at all: documents with them are XML 1.1. */
const IN_XML_1_1 = ['bell\u0007', 'one\u0001two'];
const KEYS = [...IN_XML_1_0, ...IN_XML_1_1].sort();
const ENCODED = KEYS.map((key) => encodeUriPath(key));

interface Report {
  readonly GetObject: readonly string[];
  readonly left: readonly string[];
  readonly [operation: string]: unknown;
}

describeWith([pythonModule('boto3')], 'client: boto3, control characters in keys', function () {
  const bench = useBench(this);

  it('reads and lists each, as docs/clients.md says', async () => {
    const { endpoint } = bench().service;
    const job = { endpoint, keys: KEYS };
    const report = await runBoto3<Report>(bench(), 'control_keys.py', job);
    // Its parser of XML knows 1.0 alone; in these listings it asks for encoded names.
    for (const operation of ['GetObject', 'ListObjects', 'ListObjectsV2', 'ListObjectVersions']) {
      expect(report[operation], operation).to.deep.equal(KEYS);
    }
    // Debian 13's takes an answer that it cannot parse for one of a broken server.
    const unparsed = report.ListMultipartUploads;
    expect(unparsed).to.be.oneOf(['ResponseParserError', '500']);
    const parsed = KEYS.map((key) => (IN_XML_1_0.includes(key) ? key : unparsed));
    expect(report.CreateMultipartUpload).to.deep.equal(parsed);
    // And sends its request again: there is more than one upload then.
    const uploads = new Set(report['ListMultipartUploads with encoding-type'] as string[]);
    expect([...uploads]).to.deep.equal(ENCODED);
    const deleted = KEYS.map((key) => (IN_XML_1_0.includes(key) ? [key] : 'MalformedXML'));
    expect(report.DeleteObjects).to.deep.equal(deleted);
    expect(report.left, 'after deleting each by itself').to.deep.equal([]);
  });
});

describe('client: @aws-sdk/client-s3, control characters in keys', function () {
  const bench = useBench(this);
  const sdk = useSdk(bench);
  const Bucket = 'control-sdk';

  it('reads and lists each, as docs/clients.md says', async () => {
    const s3 = sdk();
    await s3.createBucket({ Bucket });
    for (const Key of KEYS) {
      await s3.putObject({ Bucket, Key, Body: Key });
      const got = await s3.getObject({ Bucket, Key });
      expect(await got.Body?.transformToString()).to.equal(Key);
      const begun = await s3.createMultipartUpload({ Bucket, Key });
      expect(begun.Key).to.equal(Key);
    }
    for (const [EncodingType, expected] of [
      [undefined, KEYS],
      ['url', ENCODED],
    ] as const) {
      const input = { Bucket, EncodingType };
      const pages = [
        (await s3.listObjects(input)).Contents,
        (await s3.listObjectsV2(input)).Contents,
        (await s3.listObjectVersions(input)).Versions,
        (await s3.listMultipartUploads(input)).Uploads,
      ];
      for (const page of pages) expect(page?.map(({ Key }) => Key)).to.deep.equal(expected);
    }
  });

  it('deletes each by itself, and with others what XML 1.0 has', async () => {
    const s3 = sdk();
    for (const Key of IN_XML_1_1) {
      const objects = { Bucket, Delete: { Objects: [{ Key }] } };
      const failure = await s3.deleteObjects(objects).catch((error: unknown) => error);
      expect(failure).to.have.property('name', 'MalformedXML');
      await s3.deleteObject({ Bucket, Key });
    }
    const objects = { Bucket, Delete: { Objects: IN_XML_1_0.map((Key) => ({ Key })) } };
    const { Errors: errors = [] } = await s3.deleteObjects(objects);
    expect(errors).to.deep.equal([]);
    expect((await s3.listObjectsV2({ Bucket })).KeyCount).to.equal(0);
  });
});
