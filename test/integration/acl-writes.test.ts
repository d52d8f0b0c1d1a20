import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { S3TestClient, S3Answer } from '../support/s3-client.js';
import { ANNA_ID, OWNER_ID, useAclBench } from './acl-users.js';

/** Whose a copy and a finished upload are, and who may make them. */
describe('ACLs of copies and uploads over the wire', () => {
  const bench = useAclBench();

  before(async () => {
    const { owner } = bench();
    await owner.put('/target', '', { 'x-amz-grant-write': `id="${ANNA_ID}"` });
    await owner.put('/source');
    await owner.put('/source/private', 'private');
    await owner.put('/source/public', 'public', { 'x-amz-acl': 'public-read' });
  });

  const unsigned = (path: string): Promise<S3Answer> =>
    bench().owner.send({ method: 'GET', path, signed: false });
  const copy = (s3: S3TestClient, from: string, to: string, more: Record<string, string> = {}) =>
    s3.put(to, '', { 'x-amz-copy-source': from, ...more });

  it('reveals ETags by conditional deletes only to users who may read the object', async () => {
    const { owner, anna } = bench();
    for (const key of ['hidden', 'shown']) {
      const acl = key === 'shown' ? { 'x-amz-acl': 'public-read' } : {};
      await owner.put(`/target/${key}`, key, acl);
    }
    const { headers } = await owner.head('/target/hidden');
    for (const etag of [headers.etag ?? '', '"0123456789abcdef0123456789abcdef"']) {
      expectDenied(await anna.delete('/target/hidden', { 'if-match': etag }));
      const batch = `<Delete><Object><Key>hidden</Key><ETag>${etag}</ETag></Object></Delete>`;
      const md5 = createHash('md5').update(batch).digest('base64');
      const path = '/target?delete';
      const answer = await anna.send({
        method: 'POST',
        path,
        body: batch,
        headers: { 'content-md5': md5 },
      });
      expect([answer.status, answer.code]).to.deep.equal([200, 'AccessDenied']);
      const other = await anna.delete('/target/shown', { 'if-match': etag });
      expect([other.status, other.code]).to.deep.equal([412, 'PreconditionFailed']);
    }
    expect((await owner.get('/target/hidden')).text).to.equal('hidden');
    // Who may write may delete what there is.
    expect((await anna.delete('/target/hidden', { 'if-match': '*' })).status).to.equal(204);
    const shown = await anna.head('/target/shown');
    const known = { 'if-match': shown.headers.etag ?? '' };
    expect((await anna.delete('/target/shown', known)).status).to.equal(204);
  });

  it('lets a member copy what it may read to where it may write', async () => {
    const { anna, ben } = bench();
    expect((await copy(anna, '/source/public', '/target/copy')).status).to.equal(200);
    expect((await anna.get('/target/copy')).text).to.equal('public');
    expectDenied(await copy(anna, '/source/private', '/target/copy'));
    expectDenied(await copy(anna, '/source/absent', '/target/copy'));
    expectDenied(await copy(anna, '/source/public', '/source/copy'));
    expectDenied(await copy(ben, '/source/public', '/target/copy'));
    expect((await anna.get('/target/copy')).text, 'after all refusals').to.equal('public');
  });

  it('gives a copy to the user who made it, and not the ACL of its source', async () => {
    const { owner, anna } = bench();
    await copy(anna, '/source/public', '/target/hers');
    const { text } = await owner.get('/target/hers?acl');
    expect(text).to.contain(`<Owner><ID>${ANNA_ID}</ID>`);
    expect(text.match(/<Grant>/g)).to.have.length(1);
    expectDenied(await unsigned('/target/hers'));

    await copy(owner, '/source/public', '/target/owners');
    expectDenied(await unsigned('/target/owners'));
    await copy(owner, '/source/private', '/target/owners', { 'x-amz-acl': 'public-read' });
    expect((await unsigned('/target/owners')).text).to.equal('private');
  });

  async function upload(s3: S3TestClient, path: string, headers: Record<string, string>) {
    const created = await s3.send({ method: 'POST', path: `${path}?uploads`, headers });
    const id = /<UploadId>([^<]+)</.exec(created.text)?.[1] ?? created.code;
    const part = await s3.put(`${path}?partNumber=1&uploadId=${id}`, 'part');
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`;
    return s3.send({ method: 'POST', path: `${path}?uploadId=${id}`, body });
  }

  it('gives a finished upload to the user who began it, with the ACL that was asked for then', async () => {
    const { owner, anna, ben } = bench();
    expect((await upload(anna, '/target/upload', {})).status).to.equal(200);
    expect((await owner.get('/target/upload?acl')).text).to.contain(`<ID>${ANNA_ID}</ID>`);
    expectDenied(await ben.get('/target/upload'));
    expect((await anna.get('/target/upload')).text).to.equal('part');

    expect((await upload(owner, '/target/open', { 'x-amz-acl': 'public-read' })).status).to.equal(
      200,
    );
    expect((await unsigned('/target/open')).text).to.equal('part');
    expect((await owner.get('/target/open?acl')).text).to.contain(`<Owner><ID>${OWNER_ID}</ID>`);
    expect((await upload(owner, '/target/open', {})).status).to.equal(200);
    expectDenied(await unsigned('/target/open'));
  });

  it('lets no user into an upload who may not write the bucket', async () => {
    const { anna, ben } = bench();
    const created = await anna.send({ method: 'POST', path: '/target/theirs?uploads' });
    const id = /<UploadId>([^<]+)</.exec(created.text)?.[1] ?? '';
    for (const [method, query] of [
      ['POST', 'uploads'],
      ['PUT', `partNumber=1&uploadId=${id}`],
      ['GET', `uploadId=${id}`],
      ['POST', `uploadId=${id}`],
      ['DELETE', `uploadId=${id}`],
    ] as const) {
      expectDenied(await ben.send({ method, path: `/target/theirs?${query}` }));
    }
    const parts = await anna.get(`/target/theirs?uploadId=${id}`);
    expect(parts.status).to.equal(200);
    expect(parts.text).to.contain(`<Initiator><ID>${ANNA_ID}</ID>`);
    expect((await anna.delete(`/target/theirs?uploadId=${id}`)).status).to.equal(204);
  });

  it('refuses contradictory headers of a copy and of an upload', async () => {
    const { owner } = bench();
    const both = { 'x-amz-acl': 'public-read', 'x-amz-grant-read': `id="${ANNA_ID}"` };
    const copied = await copy(owner, '/source/private', '/target/no', both);
    const created = await owner.send({ method: 'POST', path: '/target/no?uploads', headers: both });
    for (const answer of [copied, created]) {
      expect([answer.status, answer.code]).to.deep.equal([400, 'InvalidRequest']);
    }
    expect((await owner.head('/target/no')).status).to.equal(404);
  });
});

function expectDenied(answer: S3Answer): void {
  expect([answer.status, answer.code]).to.deep.equal([403, 'AccessDenied']);
}
