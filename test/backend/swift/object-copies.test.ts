import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { codeOf } from '../../support/failure.js';
import { CONTEXT, created, found, REF, scripted } from './support/scripted-backend.js';

const MD5 = createHash('md5').update('hello').digest('hex');
const LOOK = 'HEAD c/o';
const TO = { ...REF, container: 'd', object: 'to' };
const PUT = 'PUT d/to';
const SYSTEM = 'x-gateway-sysmeta-object-';
const OVERRIDE = `${SYSTEM}container-update-override-etag`;

function source(headers: Readonly<Record<string, string>> = {}) {
  return found({ etag: MD5, 'content-length': '5', ...headers });
}

describe('copies of objects in Swift', () => {
  it('are of what was looked at, and have nothing else of it', async () => {
    const there = source({
      'x-object-meta-a': 'b',
      [`${SYSTEM}tags`]: 'x',
      [`${SYSTEM}other`]: 'y',
      [OVERRIDE]: `${MD5}; rw_class=COLD`,
    });
    const { backend, requests } = await scripted({ [LOOK]: there, [PUT]: created(MD5) });
    const given = { systemMetadata: { tags: 'new' } };
    const copied = await backend.copyObject(CONTEXT, REF, TO, given);
    expect(copied).to.include({ outcome: 'created', etag: MD5 });
    expect(requests.at(-1)?.headers).to.include({
      'x-copy-from': 'c/o',
      'x-copy-from-account': 'AUTH_a',
      'x-fresh-metadata': 'true',
      'if-match': `"${MD5}"`,
      'x-object-meta-a': 'b',
      [`${SYSTEM}tags`]: 'new',
      [`${SYSTEM}other`]: '',
      [OVERRIDE]: `${MD5}; rw_class=COLD`,
    });
  });

  it('without attributes are listed as what they are', async () => {
    const there = source({ [OVERRIDE]: `${MD5}; rw_class=COLD` });
    const { backend, requests } = await scripted({ [LOOK]: there, [PUT]: created(MD5) });
    await backend.copyObject(CONTEXT, REF, TO, { listingAttributes: {} });
    expect(requests.at(-1)?.headers).to.include({ [OVERRIDE]: MD5 });
  });

  /** The headers of a copy through a link. */
  async function copyThrough(account: string, target: string) {
    const there = source({
      'content-location': `/v1/${account}/${target}`,
      'x-gateway-link-timestamp': '1795160050.00000',
      'x-gateway-link-sysmeta-symlink-target': target,
    });
    const { backend, requests } = await scripted({ [LOOK]: there, [PUT]: created(MD5) });
    await backend.copyObject(CONTEXT, REF, TO, {});
    return requests.at(-1)?.headers ?? {};
  }

  it('of our link are of the version that it leads to', async () => {
    const version = `c%2Bversions/${Buffer.from(REF.object).toString('hex')}/${'0'.repeat(32)}`;
    const headers = await copyThrough('AUTH_a', version);
    const [container, ...name] = version.split('/');
    expect(headers).to.include({
      'x-copy-from': `${container}/${name.join('%2F')}`,
      'x-copy-from-account': 'AUTH_a',
    });
    expect(headers).to.not.have.property('x-gateway-led-by');
  });

  it('of any other link say that it has led there', async () => {
    for (const account of ['AUTH_a', 'AUTH_b']) {
      expect(await copyThrough(account, 't/a%20b')).to.include({
        'x-copy-from': 't/a%20b',
        'x-copy-from-account': account,
        'x-gateway-led-by': 'AUTH_a/c/o',
      });
    }
  });

  it('begin again when the source is another one', async () => {
    const other = 'f'.repeat(32);
    const { backend, requests } = await scripted({
      [LOOK]: [source(), source({ etag: other })],
      [PUT]: [{ status: 412 }, created(other)],
    });
    const copied = await backend.copyObject(CONTEXT, REF, TO, {});
    expect(copied).to.include({ outcome: 'created', etag: other });
    expect(requests.at(-1)?.headers).to.include({ 'if-match': `"${other}"` });
  });

  it('find that the source has changed from what was asked for', async () => {
    const { backend } = await scripted({
      [LOOK]: [source(), source({ etag: 'f'.repeat(32) })],
      [PUT]: { status: 412 },
    });
    const copied = await backend.copyObject(CONTEXT, REF, TO, { sourceEtag: MD5 });
    expect(copied).to.deep.equal({ outcome: 'source_changed' });
  });

  it('that create are told when there is something', async () => {
    const { backend, requests } = await scripted({ [LOOK]: source(), [PUT]: { status: 412 } });
    const copied = await backend.copyObject(CONTEXT, REF, TO, {}, { absent: true });
    expect(copied).to.deep.equal({ outcome: 'precondition_failed' });
    const put = requests.find(({ method }) => method === 'PUT');
    expect(put?.headers).to.include({ 'if-none-match': '*', 'x-gateway-create': 'exclusive' });
  });

  it('that create look before, without the filter', async () => {
    const answers = { [LOOK]: source(), 'HEAD d/to?symlink=get': found(), [PUT]: created(MD5) };
    const { backend, names } = await scripted(answers, { filter: undefined });
    const copied = await backend.copyObject(CONTEXT, REF, TO, {}, { absent: true });
    expect(copied).to.deep.equal({ outcome: 'precondition_failed' });
    expect(names()).to.not.include(PUT);
  });

  it('tell the container that is missing', async () => {
    const { backend } = await scripted({ [LOOK]: source(), [PUT]: { status: 404 } });
    expect(await codeOf(backend.copyObject(CONTEXT, REF, TO, {}))).to.equal('NoSuchContainer');
  });

  it('fail when Swift has stored other bytes', async () => {
    const { backend } = await scripted({ [LOOK]: source(), [PUT]: created('f'.repeat(32)) });
    expect(await codeOf(backend.copyObject(CONTEXT, REF, TO, {}))).to.equal('Corrupt');
  });
});
