import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { at, expectAnswer, textOf, useVersionsBench } from './bench.js';

/** The attributes of each version alone, which read the same wherever they are told. */
describe('attributes of versions over the wire', () => {
  const bench = useVersionsBench();

  it('are the same in PUT, GET, HEAD and both listings', async () => {
    const bucket = await bench().bucket('same', 'Enabled');
    for (const body of ['', 'x', 'longer than one byte', 'y'.repeat(200_000)]) {
      const put = await bench().s3.put(`${bucket}/key`, body);
      const etag = createHash('md5').update(body).digest('hex');
      expect(put.headers.etag).to.equal(`"${etag}"`);
      const [listed] = await bench().versions(bucket);
      expect(listed).to.include({
        id: put.headers['x-amz-version-id'],
        size: body.length,
        latest: true,
        etag,
      });
      const { text } = await bench().s3.get(bucket);
      expect(textOf(text, 'Size')).to.equal(String(body.length));
      expect(textOf(text, 'ETag')).to.equal(`&quot;${etag}&quot;`);
      expect(textOf(text, 'LastModified')).to.equal(listed?.lastModified);
      for (const path of [`${bucket}/key`, at(`${bucket}/key`, listed!.id)]) {
        for (const method of ['GET', 'HEAD']) {
          const { headers } = await bench().s3.send({ method, path });
          expect(headers).to.include({
            etag: `"${etag}"`,
            'content-length': String(body.length),
            'x-amz-version-id': listed!.id,
          });
          expect(isoOf(headers['last-modified'])).to.equal(listed?.lastModified);
        }
      }
    }
    expect(await bench().versions(bucket)).to.have.length(4);
  });

  it('belong to each version alone', async () => {
    const bucket = await bench().bucket('alone', 'Enabled');
    const colours = ['red', 'green', 'blue'];
    const ids: string[] = [];
    for (const colour of colours) {
      const id = await bench().put(`${bucket}/key`, colour, {
        'content-type': `text/${colour}`,
        'cache-control': colour,
        'x-amz-meta-colour': colour,
        'x-amz-tagging': `colour=${colour}`,
        'x-amz-checksum-sha256': sha256Of(colour),
        ...(colour === 'green' ? { 'x-amz-acl': 'public-read' } : {}),
      });
      ids.push(id);
    }
    for (const [i, colour] of colours.entries()) {
      const path = at(`${bucket}/key`, ids[i]!);
      const { headers } = await bench().s3.head(path, { 'x-amz-checksum-mode': 'ENABLED' });
      expect(headers).to.include({
        'content-type': `text/${colour}`,
        'cache-control': colour,
        'x-amz-meta-colour': colour,
        'x-amz-tagging-count': '1',
        'x-amz-checksum-sha256': sha256Of(colour),
      });
      const { text: tags } = await bench().s3.get(at(`${bucket}/key?tagging`, ids[i]!));
      expect(tags).to.contain(`<Value>${colour}</Value>`);
      const { text: acl } = await bench().s3.get(at(`${bucket}/key?acl`, ids[i]!));
      expect(acl.includes('AllUsers')).to.equal(colour === 'green');
    }
    const listed = await bench().versions(bucket);
    for (const { xml } of listed) {
      expect(xml).to.contain('<ChecksumAlgorithm>SHA256</ChecksumAlgorithm>');
      expect(xml).to.contain('<StorageClass>STANDARD</StorageClass>').and.contain('<Owner><ID>');
    }
  });

  it('stay when an object from before is adopted', async () => {
    const bucket = await bench().bucket('adopted');
    await bench().put(`${bucket}/key`, 'before', {
      'content-type': 'text/before',
      'x-amz-meta-colour': 'grey',
      'x-amz-tagging': 'age=old',
      'x-amz-acl': 'public-read',
      'x-amz-checksum-sha256': sha256Of('before'),
    });
    const before = await describeVersion(bucket, 'null');
    const { text: listedBefore } = await bench().s3.get(bucket);
    expect(textOf(listedBefore, 'LastModified')).to.equal(before.listed.lastModified);
    // The times that are told have whole seconds.
    while (new Date().toUTCString() === before.headers['last-modified']) await nextTurn();

    await bench().become(bucket, 'Enabled');
    const enabled = await describeVersion(bucket, 'null');
    // A listener that has looked at the bucket in the last seconds may not say so yet.
    const known =
      enabled.headers['x-amz-version-id'] === 'null' ? { 'x-amz-version-id': 'null' } : {};
    expect(enabled).to.deep.equal({ ...before, headers: { ...before.headers, ...known } });
    const id = await bench().put(`${bucket}/key`, 'after');
    const after = await describeVersion(bucket, 'null');
    expect(after.headers).to.deep.equal({ ...before.headers, 'x-amz-version-id': 'null' });
    expect(after).to.deep.include({ tags: before.tags, acl: before.acl });
    expect({ ...after.listed, ...LATEST }).to.deep.equal({ ...before.listed, ...LATEST });

    expect((await bench().s3.delete(at(`${bucket}/key`, id))).status).to.equal(204);
    const current = await bench().s3.get(bucket);
    expect(textOf(current.text, 'LastModified')).to.equal(before.listed.lastModified);
    const { headers } = await bench().s3.head(`${bucket}/key`);
    expect(headers['last-modified']).to.equal(before.headers['last-modified']);
  });

  it('let conditions go by the time of the version', async () => {
    const bucket = await bench().bucket('times');
    await bench().put(`${bucket}/key`, 'before');
    const { headers } = await bench().s3.head(`${bucket}/key`);
    const time = headers['last-modified'] ?? '';
    while (new Date().toUTCString() === time) await nextTurn();
    await bench().become(bucket, 'Enabled');
    await bench().put(`${bucket}/key`, 'after');
    const path = at(`${bucket}/key`, 'null');
    expect((await bench().s3.get(path, { 'if-modified-since': time })).status).to.equal(304);
    expect((await bench().s3.get(path, { 'if-unmodified-since': time })).status).to.equal(200);
    const current = await bench().s3.get(`${bucket}/key`, { 'if-modified-since': time });
    expect(current.text).to.equal('after');
  });

  const KEYS = [
    ...['k'.repeat(1024), '日'.repeat(341), '🚀'.repeat(256)],
    ...['../up', 'a//b', '/', '//', './', 'index.json', '+%2F &?#', ' ', 'ünï', 'line\nfeed'],
    ...['6b/0123456789abcdef0123456789abcdef', '\u{10ffff}', '\ue000'],
  ];

  it('are those of any key', async () => {
    const bucket = await bench().bucket('keys', 'Enabled');
    const ids = new Map<string, string[]>();
    for (const key of KEYS) {
      const path = `${bucket}/${encodeURIComponent(key)}`;
      const first = await bench().put(path, `first ${key}`);
      const second = await bench().put(path, `second ${key}`);
      const marker = await bench().mark(path);
      ids.set(key, [marker, second, first]);
      expect(await bench().read(at(path, first))).to.equal(`first ${key}`);
      expectAnswer(await bench().s3.get(path), 404, 'NoSuchKey');
    }
    const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const expected = [...KEYS]
      .sort(bytewise)
      .flatMap((key) => ids.get(key)!.map((id) => [key, id]));
    const listed = await bench().versions(bucket, '&encoding-type=url');
    expect(listed.map(({ key, id }) => [decodeURIComponent(key), id])).to.deep.equal(expected);

    for (const key of KEYS) {
      const path = `${bucket}/${encodeURIComponent(key)}`;
      const [marker = '', second = ''] = ids.get(key)!;
      expect((await bench().s3.delete(at(path, marker))).status).to.equal(204);
      expect(await bench().read(path)).to.equal(`second ${key}`);
      expect((await bench().s3.delete(at(path, second))).status).to.equal(204);
      expect(await bench().read(path)).to.equal(`first ${key}`);
    }
  });

  it('refuses a key that is too long', async () => {
    const bucket = await bench().bucket('too-long', 'Enabled');
    const long = await bench().s3.put(`${bucket}/${'k'.repeat(1025)}`, 'body');
    expectAnswer(long, 400, 'KeyTooLongError');
  });

  /** Of the listing's entries, what becomes of a version that is no longer the latest. */
  const LATEST = { latest: false, xml: '' };

  async function describeVersion(bucket: string, id: string) {
    const path = at(`${bucket}/key`, id);
    const { headers } = await bench().s3.head(path, { 'x-amz-checksum-mode': 'ENABLED' });
    const told = Object.entries(headers).filter(
      ([name]) => !/^(date|x-amz-(id-2|request-id))$/.test(name),
    );
    const { text: tags } = await bench().s3.get(at(`${bucket}/key?tagging`, id));
    const { text: acl } = await bench().s3.get(at(`${bucket}/key?acl`, id));
    const listed = (await bench().versions(bucket)).find((entry) => entry.id === id)!;
    return { headers: Object.fromEntries(told) as Record<string, string>, tags, acl, listed };
  }
});

function isoOf(httpDate: string | undefined): string {
  return new Date(httpDate ?? '').toISOString();
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
