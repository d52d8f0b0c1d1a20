import { expect } from 'chai';
import type { ContainerHead, ObjectHead } from '../../../src/backend/backend.js';
import { authorise } from '../../../src/s3/request/authorisation.js';
import type { Operation } from '../../../src/s3/operation.js';
import { operationFacts } from '../../../src/s3/operations.js';
import { copyObject } from '../../../src/s3/object/copy-object.js';
import { getObject } from '../../../src/s3/object/get-object.js';
import { headObject } from '../../../src/s3/object/head-object.js';
import { putObjectAcl } from '../../../src/s3/object/acl.js';
import { putObjectTagging } from '../../../src/s3/object/tagging.js';
import { groupGrant, userGrant, type Grant } from '../../../src/s3/rules/acl/acl.js';
import { ACL_METADATA, encodeAcl } from '../../../src/s3/rules/acl/stored.js';
import { S3Error } from '../../../src/s3/errors.js';
import { failureOf } from '../../support/failure.js';
import { contextOf, type PartialBackend } from '../context.js';

const OWNER = 'main:owner';
const MEMBER = 'main:member';
const OPEN = [groupGrant('AllUsers', 'READ'), userGrant(MEMBER, 'WRITE_ACP')];
const CLOSED = [userGrant(OWNER, 'FULL_CONTROL')];

function object(etag: string, grants: readonly Grant[]): ObjectHead {
  const systemMetadata = { [ACL_METADATA]: encodeAcl({ owner: OWNER, grants }) };
  const rest = { contentType: '', headers: {}, metadata: {}, lastModified: 1000 };
  return { size: 4, etag, systemMetadata, ...rest };
}

/** The object at the key, until somebody puts another one there. */
class Key {
  cancelled = 0;
  looks = 0;
  readonly updates: string[] = [];

  /** @param replacedAfter - looks at what stands there first */
  constructor(
    private readonly first: ObjectHead,
    private readonly replacedAfter: number,
    private readonly second: ObjectHead,
  ) {}

  #look(): ObjectHead {
    return this.looks++ < this.replacedAfter ? this.first : this.second;
  }

  get backend(): PartialBackend {
    return {
      headObject: () => Promise.resolve(this.#look()),
      getObject: () =>
        Promise.resolve({
          head: this.#look(),
          range: undefined,
          body: {
            length: 4,
            source: Buffer.from('body'),
            cancel: () => void this.cancelled++,
          },
        }),
      updateObject: (_call, _ref, _update, precondition) => {
        const { etag, systemMetadata } = this.#look();
        const [name = '', value] = Object.entries(precondition?.systemMetadata ?? {})[0] ?? [];
        const isFound = precondition?.etag === etag && (systemMetadata[name] ?? value) === value;
        if (isFound) this.updates.push(etag);
        return Promise.resolve({ outcome: isFound ? 'updated' : 'precondition_failed' });
      },
    };
  }
}

const WRITABLE = encodeAcl({ owner: OWNER, grants: [userGrant(MEMBER, 'WRITE')] });
const BUCKET = {
  systemMetadata: { [ACL_METADATA]: WRITABLE },
  acl: { read: '', write: '' },
} as unknown as ContainerHead;

interface Asked {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request of a member of the account, which is let in and has to be denied in the end. */
async function expectDenied(key: Key, operation: Operation, asked: Asked): Promise<void> {
  const principal = { accessKey: '', account: 'AUTH_main', role: 'member', user: MEMBER };
  const parts = { principal, containerHead: () => Promise.resolve(BUCKET) };
  const context = contextOf({ ...asked, backend: key.backend, parts });
  await authorise(context, operationFacts(context.endpoint.operation));
  const error = await failureOf(Promise.resolve(operation(context)), S3Error);
  expect(error.code).to.equal('AccessDenied');
  expect(key.updates).to.deep.equal([]);
}

describe('s3 operations on an object that is replaced under them', () => {
  const reads = [
    ['GetObject', getObject, { request: 'GET /bucket/key' }],
    ['HeadObject', headObject, { request: 'HEAD /bucket/key' }],
    ['PutObjectAcl', putObjectAcl, putAcl()],
    [
      'CopyObject',
      copyObject,
      { request: 'PUT /bucket/copy', headers: { 'x-amz-copy-source': 'bucket/key' } },
    ],
  ] as const;
  for (const [name, operation, asked] of reads) {
    it(`${name} does not let in to one whom the other let in`, async () => {
      // Authorisation looks once.
      const key = new Key(object('one', OPEN), 1, object('two', CLOSED));
      await expectDenied(key, operation, asked);
      expect(key.looks).to.equal(2);
      expect(key.cancelled).to.equal(name === 'GetObject' ? 1 : 0);
    });
  }

  it('PutObjectAcl decides again when the object is another one by then', async () => {
    const key = new Key(object('one', OPEN), 2, object('two', CLOSED));
    await expectDenied(key, putObjectAcl, putAcl());
  });

  it('PutObjectAcl decides again when its ACL is another one by then', async () => {
    const key = new Key(object('one', OPEN), 2, object('one', CLOSED));
    await expectDenied(key, putObjectAcl, putAcl());
  });

  it('PutObjectTagging changes the one that it tells of', async () => {
    const key = new Key(object('one', OPEN), 1, object('two', OPEN));
    const body = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    const backend = key.backend;
    const context = contextOf({ request: 'PUT /bucket/key?tagging', body, backend });
    expect((await putObjectTagging(context)).status).to.equal(200);
    expect(key.updates).to.deep.equal(['two']);
  });
});

function putAcl(): Asked {
  return { request: 'PUT /bucket/key?acl', headers: { 'x-amz-acl': 'private' } };
}
