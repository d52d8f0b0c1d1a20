import { expect } from 'chai';
import type { S3Answer } from '../support/s3-client.js';
import { ALL_USERS, ANNA_ID, OWNER_ID, policy, useAclBench } from './acl-users.js';

/** How ACLs are asked for, whose things are, and what is refused. */
describe('ACL requests over the wire', () => {
  const bench = useAclBench();

  before(async () => {
    const { owner } = bench();
    await owner.put('/bucket', '', { 'x-amz-grant-write': `id="${ANNA_ID}"` });
    await owner.put('/private');
    await owner.put('/private/key', 'body');
  });

  const unsigned = (path: string): Promise<S3Answer> =>
    bench().owner.send({ method: 'GET', path, signed: false });

  it('shows an owner as the owner of what has no ACL', async () => {
    const { owner } = bench();
    const grants = `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>${OWNER_ID}</ID><DisplayName>${OWNER_ID}</DisplayName></Grantee><Permission>FULL_CONTROL</Permission></Grant>`;
    for (const path of ['/private?acl', '/private/key?acl']) {
      const { status, text } = await owner.get(path);
      expect(status).to.equal(200);
      expect(text).to.contain(`<Owner><ID>${OWNER_ID}</ID>`);
      expect(text).to.contain(`<AccessControlList>${grants}</AccessControlList>`);
    }
    expect((await owner.get('/')).text, 'where users look it up').to.contain(
      `<ID>${OWNER_ID}</ID>`,
    );
  });

  it('takes back the document that it gave', async () => {
    const { owner } = bench();
    for (const path of ['/private?acl', '/private/key?acl']) {
      const { text } = await owner.get(path);
      expect((await owner.put(path, text)).status).to.equal(200);
      expect((await owner.get(path)).text).to.equal(text);
    }
  });

  it('sets the ACL of what is created', async () => {
    const { owner } = bench();
    expect((await owner.put('/open', '', { 'x-amz-acl': 'public-read' })).status).to.equal(200);
    expect((await unsigned('/open')).status).to.equal(200);
    await owner.put('/private/open', 'open', { 'x-amz-acl': 'public-read' });
    expect((await unsigned('/private/open')).text).to.equal('open');
    expect((await owner.get('/private/open?acl')).text).to.contain(`<URI>${ALL_USERS}</URI>`);
    await owner.put('/private/open', 'closed');
    expectError(await unsigned('/private/open'), 403, 'AccessDenied');
  });

  it('opens the objects of a bucket that is public, and closes them with it', async () => {
    const { owner } = bench();
    await owner.put('/open/key', 'read me', { 'x-amz-acl': 'private' });
    expect((await unsigned('/open/key')).text).to.equal('read me');
    await owner.put('/open?acl', '', { 'x-amz-acl': 'private' });
    expectError(await unsigned('/open/key'), 403, 'AccessDenied');
    expectError(await unsigned('/open'), 403, 'AccessDenied');
  });

  it('gives what a member writes to the member, and to owners of the account', async () => {
    const { owner, anna, annaToo, ben } = bench();
    expect((await anna.put('/bucket/hers', 'hers')).status).to.equal(200);
    expectError(await ben.get('/bucket/hers'), 403, 'AccessDenied');
    expect((await annaToo.get('/bucket/hers')).text, 'with another key').to.equal('hers');
    expect((await owner.get('/bucket/hers')).text).to.equal('hers');
    const { text } = await owner.get('/bucket/hers?acl');
    expect(text).to.contain(`<Owner><ID>${ANNA_ID}</ID>`).and.not.contain(OWNER_ID);

    expect(
      (await anna.put('/bucket/hers?acl', '', { 'x-amz-acl': 'authenticated-read' })).status,
    ).to.equal(200);
    expect((await ben.get('/bucket/hers')).text).to.equal('hers');
    expectError(await ben.get('/bucket/hers?acl'), 403, 'AccessDenied');
    const tagging = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    expect((await annaToo.put('/bucket/hers?tagging', tagging)).status).to.equal(200);
    expectError(await ben.put('/bucket/hers?tagging', tagging), 403, 'AccessDenied');
  });

  it("grants to the owner of the bucket, where the object is another's", async () => {
    const { owner, anna } = bench();
    for (const [canned, permission] of [
      ['bucket-owner-read', 'READ'],
      ['bucket-owner-full-control', 'FULL_CONTROL'],
    ] as const) {
      await anna.put('/bucket/shared', 'x', { 'x-amz-acl': canned });
      const { text } = await owner.get('/bucket/shared?acl');
      expect(text).to.contain(`<ID>${OWNER_ID}</ID>`);
      expect(text).to.contain(`<Permission>${permission}</Permission>`);
      expect(text.match(/<Grant>/g)).to.have.length(2);
    }
    await owner.put('/bucket/own', 'x', { 'x-amz-acl': 'bucket-owner-full-control' });
    expect((await owner.get('/bucket/own?acl')).text.match(/<Grant>/g)).to.have.length(1);
  });

  it('tells only users who may list that an object is missing', async () => {
    const { owner, anna, ben } = bench();
    await owner.put('/listed', '', { 'x-amz-grant-read': `id=${ANNA_ID}` });
    expectError(await anna.get('/listed/absent'), 404, 'NoSuchKey');
    expectError(await ben.get('/listed/absent'), 403, 'AccessDenied');
    expectError(await unsigned('/listed/absent'), 403, 'AccessDenied');
    expectError(await ben.get('/absent-bucket/key'), 404, 'NoSuchBucket');
    expectError(await unsigned('/absent-bucket/key'), 403, 'AccessDenied');
  });

  it('keeps accounts apart, whatever is granted', async () => {
    const { owner, stranger } = bench();
    await owner.put('/shared', '', { 'x-amz-acl': 'public-read-write' });
    await owner.put('/shared/key', 'ours');
    expectError(await stranger.get('/shared/key'), 404, 'NoSuchBucket');
    expect((await stranger.put('/shared')).status, 'a name of its own').to.equal(200);
    await stranger.put('/shared/key', 'theirs');
    expect((await owner.get('/shared/key')).text).to.equal('ours');
    expect((await stranger.get('/shared/key')).text).to.equal('theirs');
  });

  const grant = { 'x-amz-grant-read': `id="${ANNA_ID}"` };
  const canned = { 'x-amz-acl': 'public-read' };
  const everybody = [[ALL_USERS, 'READ']] as const;
  for (const [what, headers, body, status, code] of [
    ['a name and grants', { ...canned, ...grant }, '', 400, 'InvalidRequest'],
    ['a name and a document', canned, policy(OWNER_ID, everybody), 400, 'UnexpectedContent'],
    ['nothing', {}, '', 400, 'MissingSecurityHeader'],
    ['an unknown name', { 'x-amz-acl': 'public' }, '', 400, 'InvalidArgument'],
    ['a name for EC2', { 'x-amz-acl': 'aws-exec-read' }, '', 501, 'NotImplemented'],
    ['a header that is none', { 'x-amz-grant-all': 'id="x"' }, '', 501, 'NotImplemented'],
    ['no list', { 'x-amz-grant-read': 'anna' }, '', 400, 'InvalidArgument'],
    [
      'a group that is none',
      { 'x-amz-grant-read': 'uri="http://x/All"' },
      '',
      400,
      'InvalidArgument',
    ],
    [
      'a user called as a group',
      { 'x-amz-grant-read': 'id="AllUsers"' },
      '',
      400,
      'InvalidArgument',
    ],
    [
      'an e-mail address',
      { 'x-amz-grant-read': 'emailAddress="a@b.c"' },
      '',
      400,
      'UnresolvableGrantByEmailAddress',
    ],
    ['another owner', {}, policy('main:eve', everybody), 403, 'AccessDenied'],
    ['an unknown permission', {}, policy(OWNER_ID, [[ALL_USERS, 'ALL']]), 400, 'MalformedACLError'],
    [
      '101 grants',
      {},
      policy(
        OWNER_ID,
        Array.from({ length: 101 }, () => everybody[0]),
      ),
      400,
      'MalformedACLError',
    ],
    ['no XML', {}, 'public-read', 400, 'MalformedACLError'],
    ['a document type', {}, `<!DOCTYPE a>${policy(OWNER_ID, everybody)}`, 400, 'MalformedACLError'],
    ['1 MiB and a byte', {}, ' '.repeat(1024 * 1024 + 1), 400, 'MaxMessageLengthExceeded'],
  ] as const) {
    it(`refuses ${what}: ${code}, and changes nothing`, async () => {
      const { owner } = bench();
      for (const path of ['/private?acl', '/private/key?acl']) {
        const before = (await owner.get(path)).text;
        expectError(await owner.put(path, body, headers), status, code);
        expect((await owner.get(path)).text).to.equal(before);
      }
      expectError(await unsigned('/private/key'), 403, 'AccessDenied');
    });
  }

  it('refuses contradictory headers of a new object, before it reads the body', async () => {
    const { owner } = bench();
    expectError(
      await owner.put('/private/new', 'x', { ...canned, ...grant }),
      400,
      'InvalidRequest',
    );
    expectError(await owner.put('/new', '', { ...canned, ...grant }), 400, 'InvalidRequest');
    expect((await owner.head('/private/new')).status).to.equal(404);
    expect((await owner.head('/new')).status).to.equal(404);
  });

  it('knows no ACL of what is not there', async () => {
    const { owner } = bench();
    for (const [path, code] of [
      ['/absent?acl', 'NoSuchBucket'],
      ['/absent/key?acl', 'NoSuchBucket'],
      ['/private/absent?acl', 'NoSuchKey'],
      [`/private/key?acl&versionId=${'0'.repeat(32)}`, 'NoSuchVersion'],
    ] as const) {
      expectError(await owner.get(path), 404, code);
      expectError(await owner.put(path, '', canned), 404, code);
    }
  });
});

function expectError(answer: S3Answer, status: number, code: string): void {
  expect([answer.status, answer.code]).to.deep.equal([status, code]);
}
