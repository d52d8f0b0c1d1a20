import { expect } from 'chai';
import type { ObjectHead, RangeSpec } from '../../../src/backend/backend.js';
import { ContainerHeads } from '../../../src/backend/swift/container-heads.js';
import { ObjectReads } from '../../../src/backend/swift/object-reads.js';
import type { SwiftInfo } from '../../../src/backend/swift/transport.js';
import { codeOf, failureOf } from '../../support/failure.js';
import { INFO, type ScriptedAnswer, ScriptedTransport } from './support/scripted-transport.js';

const REF = { account: 'AUTH_a', container: 'c', object: 'o' };
const CONTEXT = { requestId: 'test' };
const MD5 = '5d41402abc4b2a76b9719d911017c592';

const OBJECT = {
  'content-length': '5',
  'content-type': 'text/plain',
  etag: MD5,
  'x-timestamp': '1795160050.29176',
  'x-gateway-data-timestamp': '1795160050.29176',
};
const FOLLOWED = {
  ...OBJECT,
  'content-location': '/v1/AUTH_a/other/a%2Fb%20c',
  'x-gateway-link-etag': 'd41d8cd98f00b204e9800998ecf8427e',
  'x-gateway-link-timestamp': '1795160060.50000',
  'x-gateway-link-sysmeta-symlink-target': 'other/a/b%20c',
  'x-gateway-link-sysmeta-s3api-etag': 'of-the-link',
  'x-gateway-link-sysmeta-s3-version-id': 'v1',
};

function reads(...answers: ScriptedAnswer[]) {
  return readsOf(INFO, answers);
}

function readsOf(
  limits: SwiftInfo,
  answers: ScriptedAnswer[],
): { reads: ObjectReads; asked: ScriptedTransport } {
  const asked = new ScriptedTransport(() => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error('nobody expects this request');
    return answer;
  });
  const heads = new ContainerHeads(asked, 0);
  const parts = { transport: asked, limits, heads, storagePolicy: undefined };
  return { reads: new ObjectReads(parts), asked };
}

function head(headers: Readonly<Record<string, string>>): Promise<ObjectHead> {
  return reads({ status: 200, headers }).reads.head(CONTEXT, REF);
}

describe('swift: reading objects', () => {
  it('tells of the link that was followed, what it says of itself', async () => {
    const { link } = await head(FOLLOWED);
    expect(link).to.deep.equal({
      target: { container: 'other', object: 'a/b c' },
      etag: 'of-the-link',
      lastModified: 1_795_160_060_500,
      systemMetadata: { 's3-version-id': 'v1' },
    });
  });

  it('tells of links to other accounts, and to links, where the first leads', async () => {
    const elsewhere = {
      ...FOLLOWED,
      'content-location': '/v1/AUTH_b/other/a/b%20c',
      'x-gateway-link-sysmeta-symlink-target-account': 'AUTH_b',
    };
    expect((await head(elsewhere)).link?.target).to.deep.equal({
      account: 'AUTH_b',
      container: 'other',
      object: 'a/b c',
    });
    const twice = { ...FOLLOWED, 'content-location': '/v1/AUTH_b/third/x' };
    const { link } = await head(twice);
    expect(link?.target).to.deep.equal({ container: 'other', object: 'a/b c' });
  });

  const version = `c%2Bversions/${Buffer.from(REF.object).toString('hex')}/${'0'.repeat(32)}`;
  const first = version.replace(/[^/]*$/, 'index.json');
  const pointers: readonly (readonly [what: string, Record<string, string>, code?: 'Denied'])[] = [
    ['ordinary object', {}],
    ['link to a version of the key', { 'content-location': `/v1/AUTH_a/${version}` }],
    [
      'link to the first version of the key',
      { 'content-location': `/v1/AUTH_a/${first}`, 'x-gateway-sysmeta-object-s3-version-id': 'v' },
    ],
    ['link to the index of the key', { 'content-location': `/v1/AUTH_a/${first}` }, 'Denied'],
    ['link', { 'content-location': '/v1/AUTH_a/other/x' }, 'Denied'],
    ['link to another account', { 'content-location': `/v1/AUTH_b/${version}` }, 'Denied'],
    ['dynamic manifest', { 'x-object-manifest': 'other/x' }, 'Denied'],
  ];
  for (const [what, said, code] of pointers) {
    const verb = code === undefined ? 'reads' : 'refuses';
    it(`${verb} what is a(n) ${what} where no filter asks who may read on`, async () => {
      for (const filter of [undefined, { version: 1 }]) {
        const answer = { status: 200, headers: { ...OBJECT, ...said }, body: 'hello' };
        const { reads } = readsOf({ ...INFO, filter }, [answer, answer]);
        expect(await codeOf(reads.head(CONTEXT, REF))).to.equal(code ?? 'none');
        expect(await codeOf(reads.get(CONTEXT, REF, undefined))).to.equal(code ?? 'none');
      }
    });
  }

  it('tells what is missing: the target, the object, the container', async () => {
    const target = { status: 404, headers: { 'content-location': '/v1/AUTH_a/other/x' } };
    const broken = await failureOf(reads(target).reads.head(CONTEXT, REF));
    expect(broken).to.include({ code: 'BrokenLink', isOfClient: true });
    const container = {
      'x-timestamp': '1795160050.29176',
      'x-container-object-count': '1',
      'x-container-bytes-used': '1',
    };
    const object = reads({ status: 404 }, { status: 204, headers: container });
    expect(await codeOf(object.reads.head(CONTEXT, REF))).to.equal('NoSuchObject');
    const nothing = reads({ status: 404 }, { status: 404 });
    expect(await codeOf(nothing.reads.head(CONTEXT, REF))).to.equal('NoSuchContainer');
  });

  it('opens an index to nobody, whoever is asked', async () => {
    const found = { ...OBJECT, 'content-location': `/v1/AUTH_a/${first}` };
    const filter = { version: 1, hopRights: true } as const;
    const { reads } = readsOf({ ...INFO, filter }, [{ status: 200, headers: found }]);
    expect(await codeOf(reads.head(CONTEXT, REF))).to.equal('Denied');
  });

  it('takes a link that is fixed to a version that has moved for one of ours', async () => {
    const moved = { status: 409, headers: { 'content-location': `/v1/AUTH_a/${first}` } };
    const broken = await failureOf(reads(moved).reads.head(CONTEXT, REF));
    expect(broken).to.include({ code: 'BrokenLink', isOfClient: false });
  });

  const conflicts: readonly (readonly [string, string])[] = [
    ['Too many levels of symbolic links, maximum allowed is 2', 'BrokenLink'],
    ["Object Etag 'a' does not match X-Symlink-Target-Etag header 'b'", 'BrokenLink'],
    ['', 'Corrupt'],
  ];
  for (const [body, code] of conflicts) {
    it(`takes a conflict of ${body === '' ? 'segments' : body} for ${code}`, async () => {
      const answer = { status: 409, body };
      expect(await codeOf(reads(answer).reads.get(CONTEXT, REF, undefined))).to.equal(code);
    });
  }

  const ranges: readonly (readonly [RangeSpec, string, string])[] = [
    [{ first: 1, last: 3 }, 'bytes=1-3', 'bytes 1-3/5'],
    [{ first: 2 }, 'bytes=2-', 'bytes 2-4/5'],
    [{ suffix: 2 }, 'bytes=-2', 'bytes 3-4/5'],
    [{ first: 1, last: 99 }, 'bytes=1-99', 'bytes 1-4/5'],
  ];
  for (const [spec, sent, contentRange] of ranges) {
    it(`asks for ${sent}`, async () => {
      const [, start, end] = /(\d)-(\d)/.exec(contentRange) ?? [];
      const body = 'hello'.slice(Number(start), Number(end) + 1);
      const length = { 'content-length': String(body.length) };
      const headers = { ...OBJECT, ...length, 'content-range': contentRange };
      const { reads: reading, asked } = reads({ status: 206, headers, body });
      const result = await reading.get(CONTEXT, REF, spec);
      expect(asked.requests[0]?.headers).to.deep.equal({ range: sent });
      expect(result.head.size).to.equal(5);
      expect(result.range).to.deep.equal({ start: Number(start), end: Number(end) });
      expect((result.body.source as Buffer).toString()).to.equal(body);
    });
  }

  it('knows of an unsatisfiable range by what Swift says of the object with it', async () => {
    const headers = { ...OBJECT, 'content-length': '97', 'content-range': 'bytes */5' };
    const { reads: reading } = reads({ status: 416, headers, body: '<html>' });
    const result = await reading.get(CONTEXT, REF, { first: 5 });
    const { range, head: found, body } = result;
    expect([range, found.size, body.length]).to.deep.equal(['unsatisfiable', 5, 0]);
  });

  it('asks again of what is only told that a range is beyond it: a dynamic manifest', async () => {
    const headers = { 'content-length': '97', 'content-range': 'bytes */5' };
    const told = { status: 200, headers: { ...OBJECT, 'x-object-manifest': 'c/o/' } };
    const { reads: reading, asked } = reads({ status: 416, headers, body: '<html>' }, told);
    const { range, head: found } = await reading.get(CONTEXT, REF, { first: 5 });
    expect([range, found.size]).to.deep.equal(['unsatisfiable', 5]);
    expect(asked.requests.map(({ method }) => method)).to.deep.equal(['GET', 'HEAD']);
  });

  it('gives no other bytes than those that were asked for', async () => {
    const replaced = { status: 200, headers: OBJECT, body: 'hello' };
    const get = reads(replaced).reads.get(CONTEXT, REF, { first: 1, last: 2 });
    expect(await codeOf(get)).to.equal('Unavailable');
  });

  for (const body of ['', 'el', 'ello']) {
    it(`fills no buffer with memory: ${body.length} bytes for three`, async () => {
      const headers = { ...OBJECT, 'content-length': '3', 'content-range': 'bytes 1-3/5' };
      const { reads: reading } = reads({ status: 206, headers, body });
      const get = reading.get(CONTEXT, REF, { first: 1, last: 3 });
      expect(await codeOf(get)).to.equal('Unavailable');
    });
  }

  it('asks for the newest, and for what has expired, where that is wanted', async () => {
    const { reads: reading, asked } = reads({ status: 200, headers: OBJECT });
    await reading.head(CONTEXT, REF, { newest: true, openExpired: true });
    const headers = { 'x-newest': 'true', 'x-open-expired': 'true' };
    expect(asked.requests[0]?.headers).to.deep.equal(headers);
  });

  it('names the segments of manifests that clients of Swift wrote', async () => {
    const manifest = [
      { name: '/c+segments/o/1', bytes: 7, hash: MD5, content_type: 'a/b' },
      { name: '/c/ü', bytes: 100, hash: MD5, range: '10-19' },
      { name: '/c/sub', bytes: 300, hash: MD5, sub_slo: true, content_type: 'a/b;swift_bytes=44' },
      { data: Buffer.from('inline').toString('base64') },
    ];
    const headers = { ...OBJECT, 'x-static-large-object': 'True' };
    const answer = { status: 200, headers, body: JSON.stringify(manifest) };
    expect(await reads(answer).reads.segments(CONTEXT, REF)).to.deep.equal([
      { container: 'c+segments', object: 'o/1', size: 7, etag: MD5 },
      { container: 'c', object: 'ü', size: 10, etag: MD5 },
      { container: 'c', object: 'sub', size: 44, etag: MD5 },
      { container: '', object: '', size: 6, etag: '' },
    ]);
    const ordinary = { status: 200, headers: OBJECT, body: 'hello' };
    expect(await reads(ordinary).reads.segments(CONTEXT, REF)).to.equal(undefined);
  });
});
