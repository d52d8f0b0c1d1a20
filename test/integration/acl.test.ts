import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { S3Answer, S3Request } from '../support/s3-client.js';
import {
  ALL_USERS,
  ANNA_ID,
  AUTHENTICATED_USERS,
  OWNER_ID,
  policy,
  useAclBench,
} from './acl-users.js';

/** Every operation by everybody, under every grant: AWS's table, and docs/s3-compatibility.md. */

const TAGGING = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
const DELETE = '<Delete><Object><Key>scratch</Key></Object></Delete>';
const DELETE_MD5 = createHash('md5').update(DELETE).digest('base64');

type Group = 'list' | 'read' | 'write' | 'readAcp' | 'writeAcp' | 'objectAcp' | 'never';

/** Together they change nothing for users who may do them: the next row finds the same world. */
const OPERATIONS: Readonly<Record<string, readonly [Group, S3Request]>> = {
  HeadBucket: ['list', { method: 'HEAD', path: '/bucket' }],
  ListObjects: ['list', { method: 'GET', path: '/bucket' }],
  ListObjectsV2: ['list', { method: 'GET', path: '/bucket?list-type=2' }],
  ListMultipartUploads: ['list', { method: 'GET', path: '/bucket?uploads' }],
  GetObject: ['read', { method: 'GET', path: '/bucket/key' }],
  HeadObject: ['read', { method: 'HEAD', path: '/bucket/key' }],
  PutObject: ['write', { method: 'PUT', path: '/bucket/scratch', body: 'x' }],
  DeleteObject: ['write', { method: 'DELETE', path: '/bucket/scratch' }],
  DeleteObjects: [
    'write',
    {
      method: 'POST',
      path: '/bucket?delete',
      body: DELETE,
      headers: { 'content-md5': DELETE_MD5 },
    },
  ],
  AbortMultipartUpload: ['write', { method: 'DELETE', path: '/bucket/key?uploadId=x' }],
  CompleteMultipartUpload: ['write', { method: 'POST', path: '/bucket/key?uploadId=x' }],
  GetBucketAcl: ['readAcp', { method: 'GET', path: '/bucket?acl' }],
  // Neither header nor document: an error of its own to those who may.
  PutBucketAcl: ['writeAcp', { method: 'PUT', path: '/bucket?acl' }],
  GetObjectAcl: ['objectAcp', { method: 'GET', path: '/bucket/key?acl' }],
  PutObjectAcl: ['objectAcp', { method: 'PUT', path: '/bucket/key?acl' }],
  ListBuckets: ['never', { method: 'GET', path: '/' }],
  CreateBucket: ['never', { method: 'PUT', path: '/another' }],
  DeleteBucket: ['never', { method: 'DELETE', path: '/bucket' }],
  GetBucketLocation: ['never', { method: 'GET', path: '/bucket?location' }],
  GetBucketTagging: ['never', { method: 'GET', path: '/bucket?tagging' }],
  PutBucketTagging: ['never', { method: 'PUT', path: '/bucket?tagging', body: TAGGING }],
  GetBucketCors: ['never', { method: 'GET', path: '/bucket?cors' }],
  PutBucketCors: ['never', { method: 'PUT', path: '/bucket?cors' }],
  DeleteBucketCors: ['never', { method: 'DELETE', path: '/bucket?cors' }],
  GetBucketLifecycle: ['never', { method: 'GET', path: '/bucket?lifecycle' }],
  DeleteBucketLifecycle: ['never', { method: 'DELETE', path: '/bucket?lifecycle' }],
  GetBucketPolicy: ['never', { method: 'GET', path: '/bucket?policy' }],
  GetObjectTagging: ['never', { method: 'GET', path: '/bucket/key?tagging' }],
  PutObjectTagging: ['never', { method: 'PUT', path: '/bucket/key?tagging', body: TAGGING }],
  DeleteObjectTagging: ['never', { method: 'DELETE', path: '/bucket/key?tagging' }],
};

/** The rights of Anna, Ben and anonymous readers by a grant; the owner may do everything. */
interface Row {
  readonly grants: readonly (readonly [grantee: string, permission: string])[];
  readonly anna: readonly Group[];
  readonly ben: readonly Group[];
  readonly anonymous: readonly Group[];
}

const NOTHING: readonly Group[] = [];
const toAnna = (permission: string, ...anna: Group[]): Row => ({
  grants: [[ANNA_ID, permission]],
  anna,
  ben: NOTHING,
  anonymous: NOTHING,
});
const toGroup = (grants: Row['grants'], users: Group[], anonymous = NOTHING): Row => ({
  grants,
  anna: users,
  ben: users,
  anonymous,
});

const BUCKET: Readonly<Record<string, Row>> = {
  private: toGroup([], []),
  'public-read': toGroup([[ALL_USERS, 'READ']], ['list', 'read'], ['list', 'read']),
  'public-read-write': toGroup(
    [
      [ALL_USERS, 'READ'],
      [ALL_USERS, 'WRITE'],
    ],
    ['list', 'read', 'write'],
    ['list', 'read'],
  ),
  'authenticated-read': toGroup([[AUTHENTICATED_USERS, 'READ']], ['list', 'read']),
  'READ to a user': toAnna('READ', 'list'),
  'WRITE to a user': toAnna('WRITE', 'write'),
  'READ_ACP to a user': toAnna('READ_ACP', 'readAcp'),
  'WRITE_ACP to a user': toAnna('WRITE_ACP', 'writeAcp'),
  'FULL_CONTROL to a user': toAnna('FULL_CONTROL', 'list', 'write', 'readAcp', 'writeAcp'),
  'READ_ACP to everybody': toGroup([[ALL_USERS, 'READ_ACP']], ['readAcp'], ['readAcp']),
};

/** Of an object in a private bucket: here, `readAcp` and `writeAcp` are the object's. */
const OBJECT: Readonly<Record<string, Row>> = {
  private: toGroup([], []),
  'public-read': toGroup([[ALL_USERS, 'READ']], ['read'], ['read']),
  'public-read-write': toGroup(
    [
      [ALL_USERS, 'READ'],
      [ALL_USERS, 'WRITE'],
    ],
    ['read'],
    ['read'],
  ),
  'authenticated-read': toGroup([[AUTHENTICATED_USERS, 'READ']], ['read']),
  'READ to a user': toAnna('READ', 'read'),
  'WRITE to a user': toAnna('WRITE'),
  'READ_ACP to a user': toAnna('READ_ACP', 'readAcp'),
  'WRITE_ACP to a user': toAnna('WRITE_ACP', 'writeAcp'),
  'FULL_CONTROL to a user': toAnna('FULL_CONTROL', 'read', 'readAcp', 'writeAcp'),
};

describe('ACLs over the wire', () => {
  const bench = useAclBench();

  before(async () => {
    const { owner } = bench();
    await owner.put('/bucket');
    await owner.put('/bucket/key', 'body');
  });

  /** Operations that did not answer 403, of those that the table has for the actor. */
  async function allowedTo(who: 'anna' | 'ben' | 'anonymous'): Promise<string[]> {
    const { ben } = bench();
    const client = who === 'anonymous' ? ben : bench()[who];
    const allowed: string[] = [];
    for (const [name, [, request]] of Object.entries(OPERATIONS)) {
      const answer = await client.send({ ...request, signed: who !== 'anonymous' });
      if (answer.status !== 403) allowed.push(name);
      else if (request.method !== 'HEAD') expect(answer.code, name).to.equal('AccessDenied');
    }
    return allowed;
  }

  async function checkRow(row: Row, groupOf: (name: string, group: Group) => Group) {
    for (const who of ['anna', 'ben', 'anonymous'] as const) {
      const expected = Object.entries(OPERATIONS)
        .filter(([name, [group]]) => row[who].includes(groupOf(name, group)))
        .map(([name]) => name);
      expect(await allowedTo(who), who).to.deep.equal(expected);
    }
  }

  describe('of a bucket', () => {
    for (const [grant, row] of Object.entries(BUCKET)) {
      it(`${grant}: by name, by headers, by document`, async () => {
        const { owner } = bench();
        for await (const answer of setEachWay('/bucket?acl', grant, row)) {
          expect(answer.status).to.equal(200);
          await checkRow(row, (_, group) => group);
          expectSuccess(await owner.put('/bucket?acl', '', { 'x-amz-acl': 'private' }));
        }
      });
    }
  });

  describe('of an object', () => {
    const groupOf = (name: string, group: Group): Group => {
      if (name === 'GetObjectAcl') return 'readAcp';
      if (name === 'PutObjectAcl') return 'writeAcp';
      return group === 'readAcp' || group === 'writeAcp' ? 'never' : group;
    };

    for (const [grant, row] of Object.entries(OBJECT)) {
      it(`${grant}: by name, by headers, by document`, async () => {
        const { owner } = bench();
        for await (const answer of setEachWay('/bucket/key?acl', grant, row)) {
          expect(answer.status).to.equal(200);
          await checkRow(row, groupOf);
          expectSuccess(await owner.put('/bucket/key?acl', '', { 'x-amz-acl': 'private' }));
        }
      });
    }
  });

  it('leaves all as it was', async () => {
    const { owner } = bench();
    expect((await owner.get('/bucket/key')).text).to.equal('body');
    expect((await owner.get('/bucket/key?tagging')).text).to.contain('<TagSet></TagSet>');
    expect((await owner.head('/another')).status).to.equal(404);
  });

  /** Sets the ACL in each way that can say it, one at a time: the caller looks in between. */
  async function* setEachWay(path: string, grant: string, { grants }: Row) {
    const { owner } = bench();
    if (/^[a-z-]+$/.test(grant)) yield await owner.put(path, '', { 'x-amz-acl': grant });
    if (grants.length > 0) yield await owner.put(path, '', grantHeaders(grants));
    yield await owner.put(path, policy(OWNER_ID, grants));
  }
});

/** `x-amz-grant-*`, with all grantees of a permission in one. */
function grantHeaders(grants: Row['grants']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [grantee, permission] of grants) {
    const name = `x-amz-grant-${permission.toLowerCase().replace('_', '-')}`;
    const value = grantee.startsWith('http') ? `uri="${grantee}"` : `id="${grantee}"`;
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function expectSuccess(answer: S3Answer): void {
  expect([answer.status, answer.code]).to.deep.equal([200, undefined]);
}
