import { expect } from 'chai';
import type { S3TestClient } from '../support/s3-client.js';
import { ANNA_ID, OWNER_ID, policy, useAclBench } from './acl-users.js';
import { listedVersions, textOf, versioning } from './versions/bench.js';

/** Whose each thing is, wherever it is listed: who made it, as its own ACL says. */
describe('owners in listings over the wire', () => {
  const users = useAclBench();

  /** Open to Anna, who makes things in it. */
  async function bucketFor(name: string, state?: string): Promise<string> {
    const { owner } = users();
    const grants = { 'x-amz-grant-full-control': `id="${OWNER_ID}"`, ...READ_AND_WRITE };
    expect((await owner.put(`/${name}`, '', grants)).status).to.equal(200);
    if (state !== undefined) await owner.put(`/${name}?versioning`, versioning(state));
    return `/${name}`;
  }

  async function upload(s3: S3TestClient, path: string, headers: Record<string, string> = {}) {
    const begun = await s3.send({ method: 'POST', path: `${path}?uploads`, headers });
    expect(begun.status).to.equal(200);
    return textOf(begun.text, 'UploadId');
  }

  async function complete(s3: S3TestClient, path: string): Promise<void> {
    const uploadId = await upload(s3, path);
    const part = await s3.put(`${path}?partNumber=1&uploadId=${uploadId}`, 'part');
    const etag = part.headers.etag ?? '';
    const completed = await s3.send({
      method: 'POST',
      path: `${path}?uploadId=${uploadId}`,
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`,
    });
    expect(completed.status).to.equal(200);
  }

  /** Key to the id that an element of its entry names. */
  function named(text: string, entry: string, element: string): Record<string, string> {
    const entries = text.matchAll(new RegExp(`<${entry}>([^]*?)</${entry}>`, 'g'));
    return Object.fromEntries(
      [...entries].map(([, xml = '']) => {
        const [, who = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(xml) ?? [];
        expect(textOf(who, 'DisplayName')).to.equal(textOf(who, 'ID'));
        return [textOf(xml, 'Key'), textOf(who, 'ID')];
      }),
    );
  }

  async function ownerByAcl(path: string): Promise<string> {
    const { text } = await users().owner.get(`${path}?acl`);
    const [, owner = ''] = /<Owner>([^]*?)<\/Owner>/.exec(text) ?? [];
    return textOf(owner, 'ID');
  }

  for (const state of [undefined, 'Enabled', 'Suspended']) {
    it(`are the users who wrote: ${state ?? 'without versions'}`, async () => {
      const { owner, anna } = users();
      const bucket = await bucketFor(`objects-${(state ?? 'plain').toLowerCase()}`, state);
      await owner.put(`${bucket}/of-owner`, 'x');
      await owner.put(`${bucket}/public-of-owner`, 'x', { 'x-amz-acl': 'public-read' });
      await anna.put(`${bucket}/of-anna`, 'x', { 'x-amz-acl': 'public-read' });
      await anna.put(`${bucket}/private-of-anna`, 'x');
      await anna.put(`${bucket}/copy-by-anna`, '', { 'x-amz-copy-source': `${bucket}/of-anna` });
      await owner.put(`${bucket}/copy-by-owner`, '', { 'x-amz-copy-source': `${bucket}/of-anna` });
      await complete(anna, `${bucket}/parts-of-anna`);
      await anna.put(`${bucket}/taken-over`, 'x');
      await owner.put(`${bucket}/taken-over`, 'y');
      const expected = {
        'copy-by-anna': ANNA_ID,
        'copy-by-owner': OWNER_ID,
        'of-anna': ANNA_ID,
        'of-owner': OWNER_ID,
        'parts-of-anna': ANNA_ID,
        'private-of-anna': ANNA_ID,
        'public-of-owner': OWNER_ID,
        'taken-over': OWNER_ID,
      };
      for (const [key, id] of Object.entries(expected)) {
        expect(await ownerByAcl(`${bucket}/${key}`), key).to.equal(id);
      }
      const v1 = (await owner.get(bucket)).text;
      expect(named(v1, 'Contents', 'Owner')).to.deep.equal(expected);
      const v2 = (await owner.get(`${bucket}?list-type=2&fetch-owner=true`)).text;
      expect(named(v2, 'Contents', 'Owner')).to.deep.equal(expected);
      expect((await owner.get(`${bucket}?list-type=2`)).text).not.to.contain('Owner');
      const versions = (await owner.get(`${bucket}?versions`)).text;
      const latest = listedVersions(versions).filter((version) => version.latest);
      const ids = latest.map(({ key, xml }) => [key, textOf(xml, 'ID')]);
      expect(Object.fromEntries(ids)).to.deep.equal(expected);
      // To Anna, what has no ACL of its own is the account's.
      const hers = named((await anna.get(bucket)).text, 'Contents', 'Owner');
      expect(hers).to.include({ 'of-anna': ANNA_ID, 'public-of-owner': OWNER_ID });
      expect(hers['of-owner'], 'an account of a test on a cluster has a longer name').to.match(
        /^main(_[0-9a-f]+)?$/,
      );
    });
  }

  it('are the users who deleted, and who wrote before versions were kept', async () => {
    const { owner, anna } = users();
    const bucket = await bucketFor('markers');
    await anna.put(`${bucket}/key`, 'from before');
    await owner.put(`${bucket}?versioning`, versioning('Enabled'));
    const ofAll = async () =>
      listedVersions((await owner.get(`${bucket}?versions`)).text).map(
        ({ kind, xml }) => `${kind} ${textOf(xml, 'ID')}`,
      );
    expect(await ofAll()).to.deep.equal([`Version ${ANNA_ID}`]);
    await owner.put(`${bucket}/key`, 'of the owner');
    await anna.delete(`${bucket}/key`);
    await owner.delete(`${bucket}/key`);
    expect(await ofAll()).to.deep.equal([
      `DeleteMarker ${OWNER_ID}`,
      `DeleteMarker ${ANNA_ID}`,
      `Version ${OWNER_ID}`,
      `Version ${ANNA_ID}`,
    ]);
  });

  it('stay when the ACL is changed', async () => {
    const { owner, anna } = users();
    const bucket = await bucketFor('changed');
    await anna.put(`${bucket}/key`, 'x');
    const body = policy(ANNA_ID, [[OWNER_ID, 'FULL_CONTROL']]);
    expect((await owner.put(`${bucket}/key?acl`, body)).status).to.equal(200);
    expect(await ownerByAcl(`${bucket}/key`)).to.equal(ANNA_ID);
    expect(named((await owner.get(bucket)).text, 'Contents', 'Owner')).to.deep.equal({
      key: ANNA_ID,
    });
  });

  it('of uploads are the users who began them, for every user who may list', async () => {
    const { owner, anna } = users();
    const bucket = await bucketFor('uploads');
    const ids = {
      'of-anna': await upload(anna, `${bucket}/of-anna`),
      'of-owner': await upload(owner, `${bucket}/of-owner`),
      'public-of-owner': await upload(owner, `${bucket}/public-of-owner`, {
        'x-amz-acl': 'public-read',
      }),
    };
    const expected = { 'of-anna': ANNA_ID, 'of-owner': OWNER_ID, 'public-of-owner': OWNER_ID };
    for (const s3 of [owner, anna]) {
      const { text } = await s3.get(`${bucket}?uploads`);
      for (const element of ['Owner', 'Initiator']) {
        expect(named(text, 'Upload', element), element).to.deep.equal(expected);
      }
      for (const [key, uploadId] of Object.entries(ids)) {
        const parts = await s3.get(`${bucket}/${key}?uploadId=${uploadId}`);
        const who = /<Initiator>[^]*?<\/Initiator><Owner>[^]*?<\/Owner>/.exec(parts.text)?.[0];
        const found = [...(who ?? '').matchAll(/<ID>([^<]*)</g)].map(([, id]) => id);
        const id = expected[key as keyof typeof expected];
        expect(found, key).to.deep.equal([id, id]);
      }
    }
  });
});

const READ_AND_WRITE = {
  'x-amz-grant-read': `id="${ANNA_ID}"`,
  'x-amz-grant-write': `id="${ANNA_ID}"`,
};
