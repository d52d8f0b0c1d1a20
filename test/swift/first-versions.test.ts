import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { ENABLED, useGateway, useSwiftClient } from './support.js';

const TAGGING = '<Tagging><TagSet><Tag><Key>new</Key><Value>2</Value></Tag></TagSet></Tagging>';
const FIRST = {
  'content-type': 'text/css',
  'x-amz-meta-colour': 'blue',
  'x-amz-tagging': 'old=1',
};

/** docs/versions.md: the first version of a key lies in the place of its index. */
describeWith(SWIFT_NEEDS, 'first versions on Swift', function () {
  this.timeout(120_000);

  const bucket = `first-${randomBytes(5).toString('hex')}`;
  const lab = useOnce(sharedSwiftLab);
  const swift = useSwiftClient(lab);
  const { s3 } = useGateway(lab, { janitor_interval_ms: 0 }, 2);

  before(async () => {
    expect((await s3().put(`/${bucket}`)).status).to.equal(200);
    expect((await s3().put(`/${bucket}?versioning`, ENABLED)).status).to.equal(200);
    // Both listeners look at the first new key of a bucket.
    for (let i = 0; i < 20; i++) await putText(`looked at ${i}`, 'x');
  });

  async function putText(key: string, text: string, headers = {}): Promise<string> {
    const put = await s3().put(`/${bucket}/${encodeURIComponent(key)}`, text, headers);
    expect(put.status, put.text).to.equal(200);
    return String(put.headers['x-amz-version-id']);
  }

  /** The last name of the object that a link leads to, as a Swift client reads it. */
  async function leadsTo(key: string, body: string): Promise<string | undefined> {
    const { status, text, headers } = await swift().send('GET', `/v1/AUTH_test/${bucket}/${key}`);
    expect([status, text]).to.deep.equal([200, body]);
    return String(headers['content-location']).split('/').at(-1);
  }

  async function tagsOf(key: string, query = ''): Promise<string> {
    const { status, text } = await s3().get(`/${bucket}/${key}?tagging${query}`);
    expect(status, text).to.equal(200);
    return [...text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, name]) => name).join();
  }

  async function expectFirst(path: string, id: string): Promise<void> {
    const { status, text, headers } = await s3().get(path);
    expect([status, text]).to.deep.equal([200, 'first']);
    expect(headers).to.include({
      ...{ 'x-amz-version-id': id, 'content-type': 'text/css', 'x-amz-meta-colour': 'blue' },
      'x-amz-tagging-count': '1',
    });
  }

  it('are read by key, by id, in part and by Swift clients, before and after others come', async () => {
    const id = await putText('a', 'first', FIRST);
    expect(await leadsTo('a', 'first')).to.equal('index.json');
    await expectFirst(`/${bucket}/a`, id);
    await expectFirst(`/${bucket}/a?versionId=${id}`, id);
    const part = await s3().get(`/${bucket}/a?versionId=${id}`, { range: 'bytes=1-2' });
    expect([part.status, part.text]).to.deep.equal([206, 'ir']);
    const listed = await s3().get(`/${bucket}?versions&prefix=a`);
    expect(listed.text).to.include(`<VersionId>${id}</VersionId>`);

    const second = await putText('a', 'second');
    expect(await leadsTo('a', 'second')).to.equal(second);
    await expectFirst(`/${bucket}/a?versionId=${id}`, id);
    expect(await tagsOf('a', `&versionId=${id}`)).to.equal('old');
    const later = await s3().get(`/${bucket}?versions&prefix=a`);
    const of = (text: string) =>
      /<Version><Key>a<\/Key><VersionId>\w+<\/VersionId><IsLatest>false.*?<\/Version>/.exec(text);
    const entry = of(later.text)?.[0].replace('<IsLatest>false', '<IsLatest>true');
    expect(listed.text, 'it is listed as before').to.include(entry);
  });

  it('move before their tags change, and their links follow', async () => {
    const id = await putText('b', 'first', FIRST);
    const tagged = await s3().put(`/${bucket}/b?tagging`, TAGGING);
    expect(tagged.status, tagged.text).to.equal(200);
    expect(await tagsOf('b')).to.equal('new');
    expect(await leadsTo('b', 'first')).to.equal(id);
    await putText('b', 'second');
    expect(await tagsOf('b', `&versionId=${id}`)).to.equal('new');
  });

  it('stay below a delete marker, and go when they are deleted', async () => {
    const id = await putText('c', 'first', FIRST);
    const path = `/${bucket}/c`;
    expect((await s3().send({ method: 'DELETE', path })).status).to.equal(204);
    expect((await s3().get(path)).status).to.equal(404);
    await expectFirst(`${path}?versionId=${id}`, id);
    const gone = await s3().send({ method: 'DELETE', path: `${path}?versionId=${id}` });
    expect(gone.status).to.equal(204);
    expect((await s3().get(`${path}?versionId=${id}`)).status).to.equal(404);
  });

  it('go from their place, and are copied from it', async () => {
    const id = await putText('d', 'first', FIRST);
    const source = { 'x-amz-copy-source': `/${bucket}/d?versionId=${id}` };
    expect((await s3().put(`/${bucket}/copied`, '', source)).status).to.equal(200);
    const path = `/${bucket}/d?versionId=${id}`;
    expect((await s3().send({ method: 'DELETE', path })).status).to.equal(204);
    expect((await s3().get(`/${bucket}/d`)).status).to.equal(404);
    expect((await s3().get(`/${bucket}/copied`)).text).to.equal('first');
  });
});
