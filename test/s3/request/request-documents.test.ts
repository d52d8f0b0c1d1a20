import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { BackendError } from '../../../src/backend/errors.js';
import type { RequestContext } from '../../../src/s3/operation.js';
import { operationFacts } from '../../../src/s3/operations.js';
import { NO_COLD_CLASSES } from '../../../src/s3/rules/cold/classes.js';
import { XML_BOUNDS, type RequestDocument } from '../../../src/s3/xml/bounds.js';
import { codeOf, failureOf } from '../../support/failure.js';
import { contextOf } from '../context.js';

/** Every operation with a document, and the document that it reads. */
const READERS: readonly (readonly [request: string, document: RequestDocument])[] = [
  ['PUT /bucket', 'CreateBucketConfiguration'],
  ['PUT /bucket?acl', 'AccessControlPolicy'],
  ['PUT /bucket/key?acl', 'AccessControlPolicy'],
  ['PUT /bucket?cors', 'CORSConfiguration'],
  ['PUT /bucket?lifecycle', 'LifecycleConfiguration'],
  ['PUT /bucket?tagging', 'BucketTagging'],
  ['PUT /bucket/key?tagging', 'ObjectTagging'],
  ['PUT /bucket?versioning', 'VersioningConfiguration'],
  ['PUT /bucket?object-lock', 'ObjectLockConfiguration'],
  ['PUT /bucket/key?retention', 'Retention'],
  ['PUT /bucket/key?legal-hold', 'LegalHold'],
  ['POST /bucket/key?restore', 'RestoreRequest'],
  ['POST /bucket?delete', 'Delete'],
  [`POST /bucket/key?uploadId=${'0'.repeat(32)}`, 'CompleteMultipartUpload'],
];

const LOCKED = Buffer.from(
  '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>',
).toString('base64');

/** Thrown instead of parsing: what an operation does afterwards is tested elsewhere. */
class Parsed extends Error {
  constructor(
    readonly document: string,
    readonly bytes: number,
  ) {
    super('parsed');
  }
}

interface Asked {
  readonly context: RequestContext;
  /** The limits that the body was asked for with. */
  readonly limits: number[];
}

function ask(request: string, bucketIsThere: boolean): Asked {
  const body = ' '.repeat(100_000);
  const md5 = createHash('md5').update(body).digest('base64');
  const head = { systemMetadata: {}, etag: 'e', lastModified: 0, storedAt: 0 };
  const limits: number[] = [];
  const collect = (limit: number) => {
    limits.push(limit);
    return Promise.resolve(Buffer.from(body));
  };
  const context = contextOf({
    request,
    headers: { 'content-md5': md5 },
    backend: {},
    services: {
      backend: {
        capabilities: { systemMetadata: true, atomicCreate: true },
        headObject: () => Promise.resolve(head),
      },
      documents: {
        parse: (name: string, { length }: Buffer) => Promise.reject(new Parsed(name, length)),
      },
      cold: { classes: NO_COLD_CLASSES, restorer: {} },
    },
    parts: {
      containerHead: () =>
        bucketIsThere
          ? Promise.resolve({ systemMetadata: { 's3-object-lock': LOCKED } })
          : Promise.reject(new BackendError('NoSuchContainer', 'not there')),
      openPayload: () => ({ collect }),
    },
  });
  return { context, limits };
}

async function operate(context: RequestContext): Promise<unknown> {
  return await operationFacts(context.endpoint.operation).handler?.(context);
}

describe('s3 operations: documents of requests', () => {
  it('are all of the table', () => {
    const read = new Set(READERS.map(([, document]) => document));
    expect([...read].sort()).to.deep.equal(Object.keys(XML_BOUNDS).sort());
  });

  for (const [request, document] of READERS) {
    it(`are bounded and left to the parser that chooses where, by ${request}`, async () => {
      const { context, limits } = ask(request, true);
      const parsed = await failureOf(operate(context), Parsed);
      expect([parsed.document, parsed.bytes]).to.deep.equal([document, 100_000]);
      expect(limits).to.deep.equal([XML_BOUNDS[document].bytes]);
    });

    if (request === 'PUT /bucket') continue;
    it(`are not asked for without the bucket, by ${request}`, async () => {
      const { context, limits } = ask(request, false);
      expect(await codeOf(operate(context))).to.equal('NoSuchContainer');
      expect(limits).to.deep.equal([]);
    });
  }
});
