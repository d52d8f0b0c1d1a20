import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ListedObject, ObjectHead, ObjectRef } from '../../src/backend/backend.js';
import { CONTEXT } from '../contract/fixture.js';
import { openCluster } from '../contract/swift.js';
import { useEach, useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { PlainSwift } from '../support/plain-swift.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';

/** The gateway reads the objects of clients of Swift and its s3api, and the other way round. */
describeWith(SWIFT_NEEDS, 'Swift: objects that others read and write', function () {
  this.timeout(180_000);
  const lab = useOnce(sharedSwiftLab);
  const backend = useOnce(async () => (await openCluster(lab())).backend, 'close');
  const swift = useOnce(() => {
    const [endpoint = ''] = lab().state.endpoints;
    return PlainSwift.login(endpoint, lab().user('test:tester'));
  });
  const ref = useEach(async () => {
    const container = `others-${randomBytes(6).toString('hex')}`;
    const made = { account: swift().account, container };
    await backend().createContainer(CONTEXT, made, {});
    return made;
  });

  const object = (name: string): ObjectRef => ({ ...ref(), object: name });
  const path = (name: string): string => `${ref().container}/${name}`;

  async function put(name: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    const body = Buffer.from('x');
    const input = { size: 1, contentType: 'text/plain', body, metadata };
    const put = await backend().putObject(CONTEXT, object(name), input);
    expect(put.outcome).to.equal('created');
  }

  async function read(name: string): Promise<{ head: ObjectHead; text: string }> {
    const { head, body } = await backend().getObject(CONTEXT, object(name));
    const { source } = body;
    if (Buffer.isBuffer(source)) return { head, text: source.toString() };
    const chunks: Buffer[] = [];
    for await (const chunk of source) chunks.push(Buffer.from(chunk));
    return { head, text: Buffer.concat(chunks).toString() };
  }

  async function listed(): Promise<readonly ListedObject[]> {
    const { entries } = await backend().listObjects(CONTEXT, ref(), { limit: 100 });
    return entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : []));
  }

  it('have the metadata names of s3api, which HTTP does not know', async () => {
    await put('ours', { x_y: '1', 'a-b': '2' });
    const ours = await swift().request('HEAD', path('ours'));
    expect(ours.values('X-Object-Meta-X=5Fy')).to.deep.equal(['1']);
    expect(ours.values('X-Object-Meta-A-B')).to.deep.equal(['2']);
    const theirs = { 'X-Object-Meta-Foo=5Fbar': 'v', 'X-Object-Meta-Größe': 'ü' };
    await swift().request('PUT', path('theirs'), theirs, 'y');
    const { metadata } = await backend().headObject(CONTEXT, object('theirs'));
    expect(metadata).to.deep.equal({ foo_bar: 'v', größe: 'ü' });
  });

  it('have metadata that Swift has no room for, until others replace it', async () => {
    const metadata = Object.fromEntries([
      ['long', 'ü'.repeat(700)],
      ['lines', 'a\nb'],
      ['empty', ''],
      ...Array.from({ length: 100 }, (_, i) => [`n${i}`, 'x'.repeat(30)]),
    ]) as Record<string, string>;
    await put('o', metadata);
    expect((await backend().headObject(CONTEXT, object('o'))).metadata).to.deep.equal(metadata);
    await backend().updateObject(CONTEXT, object('o'), { systemMetadata: { tags: 'a=1' } });
    const updated = await backend().headObject(CONTEXT, object('o'));
    expect([updated.metadata, updated.systemMetadata]).to.deep.equal([metadata, { tags: 'a=1' }]);
    await swift().request('POST', path('o'), { 'X-Object-Meta-Theirs': '1' });
    const replaced = await backend().headObject(CONTEXT, object('o'));
    expect([replaced.metadata, replaced.systemMetadata]).to.deep.equal([{ theirs: '1' }, {}]);
    expect(replaced.lastModified).to.equal(updated.lastModified);
  });

  it('keep system metadata of containers of any length, as it is changed', async () => {
    const long = randomBytes(24_000).toString('base64');
    for (const policy of [long, 'short', long.slice(0, 16_000), null]) {
      await backend().updateContainer(CONTEXT, ref(), {
        systemMetadata: { policy, other: '{"a":1}' },
      });
      const { systemMetadata } = await backend().headContainer(CONTEXT, ref());
      expect(systemMetadata).to.deep.equal({
        other: '{"a":1}',
        ...(policy !== null && { policy }),
      });
    }
    const plain = await swift().request('HEAD', ref().container);
    expect(plain.headers.filter(([name]) => /sysmeta|gateway/i.test(name))).to.deep.equal([]);
  });

  it('are read where they are large objects of Swift', async () => {
    await swift().request('PUT', path('parts/1'), {}, 'first,');
    await swift().request('PUT', path('parts/2'), {}, 'second');
    const manifest = ['first,', 'second'].map((text, i) => ({
      path: `/${path(`parts/${i + 1}`)}`,
      etag: createHash('md5').update(text).digest('hex'),
      size_bytes: 6,
    }));
    const query = 'static?multipart-manifest=put';
    await swift().request('PUT', path(query), {}, JSON.stringify(manifest));
    await swift().request('PUT', path('dynamic'), { 'X-Object-Manifest': path('parts/') });
    for (const name of ['static', 'dynamic']) {
      const { head, text } = await read(name);
      expect(text).to.equal('first,second');
      expect(head.size).to.equal(12);
      expect(head.etag).to.match(/^[0-9a-f]{32}-N$/);
    }
    expect(await backend().getSegments(CONTEXT, object('dynamic'))).to.equal(undefined);
    expect(await backend().getSegments(CONTEXT, object('static'))).to.deep.equal(
      manifest.map(({ etag }, i) => ({
        container: ref().container,
        object: `parts/${i + 1}`,
        size: 6,
        etag,
      })),
    );
    const shown = (await listed()).find(({ name }) => name === 'static');
    const { etag, size, lastModified } = await backend().headObject(CONTEXT, object('static'));
    expect(shown).to.include({ etag, size, lastModified });
  });

  it('are read where they are symlinks of Swift', async () => {
    await swift().request('PUT', path('target'), {}, 'hello');
    const target = path('target');
    await swift().request('PUT', path('soft'), { 'X-Symlink-Target': target });
    const etag = createHash('md5').update('hello').digest('hex');
    const hard = { 'X-Symlink-Target': target, 'X-Symlink-Target-Etag': etag };
    await swift().request('PUT', path('hard'), hard);
    for (const name of ['soft', 'hard']) {
      const { head, text } = await read(name);
      expect(text).to.equal('hello');
      expect(head.link?.target).to.deep.equal({ container: ref().container, object: 'target' });
    }
    const shown = (await listed()).find(({ name }) => name === 'hard');
    expect(shown).to.include({ etag, size: 5 });
    await swift().request('PUT', path('target'), {}, 'other');
    const stale = await backend()
      .headObject(CONTEXT, object('hard'))
      .catch((error: unknown) => error);
    expect(stale).to.include({ code: 'BrokenLink' });
  });

  it('expire when their writer said so', async () => {
    const at = Math.floor(Date.now() / 1000) + 86_400;
    await swift().request('PUT', path('o'), { 'X-Delete-At': String(at) }, 'x');
    expect((await backend().headObject(CONTEXT, object('o'))).deleteAt).to.equal(at * 1000);
  });

  it('leave a container that can be deleted right behind them', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `o${i}`);
    await Promise.all(names.map((name) => put(name, {})));
    await Promise.all(names.map((name) => backend().deleteObject(CONTEXT, object(name))));
    await backend().deleteContainer(CONTEXT, ref());
  });
});
