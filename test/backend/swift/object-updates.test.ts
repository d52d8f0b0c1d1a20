import { expect } from 'chai';
import { codeOf } from '../../support/failure.js';
import {
  CONTAINER,
  CONTEXT,
  found,
  REF,
  scripted,
  TIME,
  TIME_MS,
} from './support/scripted-backend.js';

const LOOK = 'HEAD c/o?symlink=get';
const POST = 'POST c/o';
const UPDATE = { systemMetadata: { tags: 'a=1' } };
const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

describe('deletions of objects in Swift', () => {
  const DELETE = 'DELETE c/o';

  it('tell when something newer is there, which stays', async () => {
    const { backend } = await scripted({ [LOOK]: found(), [DELETE]: { status: 409 } });
    expect(await backend.deleteObject(CONTEXT, REF)).to.deep.equal({ outcome: 'stale' });
  });

  it('tell a container that is missing from an object', async () => {
    const missing = await scripted({ [DELETE]: { status: 404 } });
    expect(await codeOf(missing.backend.deleteObject(CONTEXT, REF))).to.equal('NoSuchContainer');
    const empty = await scripted({ 'HEAD c': CONTAINER, [DELETE]: { status: 404 } });
    expect(await codeOf(empty.backend.deleteObject(CONTEXT, REF))).to.equal('NoSuchObject');
  });
});

describe('updates of objects in Swift', () => {
  it('are as of right after what was read, and send all again', async () => {
    const there = found({ 'x-object-meta-a': 'b', 'x-delete-at': '4000000000' });
    const { backend, requests } = await scripted({ [LOOK]: there, [POST]: { status: 202 } });
    expect(await backend.updateObject(CONTEXT, REF, UPDATE)).to.deep.equal({ outcome: 'updated' });
    const [look, post] = requests;
    expect(look?.headers).to.include({ 'x-newest': 'true' });
    expect(post?.headers).to.include({ 'x-object-meta-a': 'b', 'x-delete-at': '4000000000' });
    const time = post?.headers?.['x-gateway-not-newer'];
    expect(time).to.match(/^1795160050\.29177_[0-9a-f]{16}$/);
    const document = post?.headers?.['x-gateway-sysmeta-transient-ringway-update'];
    expect(JSON.parse(document ?? '')).to.deep.include({ for: TIME, ...UPDATE });
  });

  it('begin again when something newer is there', async () => {
    const newer = found({
      'x-timestamp': '1795160060.00000',
      'x-gateway-data-timestamp': '1795160060.00000',
      'x-object-meta-a': 'new',
    });
    const { backend, requests } = await scripted({
      [LOOK]: [found({ 'x-object-meta-a': 'old' }), newer],
      [POST]: [{ status: 409 }, { status: 202 }],
    });
    await backend.updateObject(CONTEXT, REF, UPDATE);
    const posts = requests.filter(({ method }) => method === 'POST');
    expect(posts.map(({ headers }) => headers?.['x-object-meta-a'])).to.deep.equal(['old', 'new']);
    expect(posts[1]?.headers?.['x-gateway-not-newer']).to.match(/^1795160060\.00001_/);
  });

  it('find that the object went while they were at it', async () => {
    const { backend } = await scripted({
      'HEAD c': CONTAINER,
      [LOOK]: [found(), { status: 404 }],
      [POST]: { status: 404 },
    });
    expect(await codeOf(backend.updateObject(CONTEXT, REF, UPDATE))).to.equal('NoSuchObject');
  });

  it('look at their precondition each time', async () => {
    const precondition = { etag: EMPTY_MD5, lastModified: TIME_MS };
    const { backend, names } = await scripted({
      [LOOK]: [found(), found({ etag: 'f'.repeat(32) })],
      [POST]: { status: 409 },
    });
    const { outcome } = await backend.updateObject(CONTEXT, REF, UPDATE, precondition);
    expect(outcome).to.equal('precondition_failed');
    expect(names()).to.deep.equal([LOOK, POST, LOOK]);
  });

  it('of a link are done when Swift says where it leads', async () => {
    const { backend } = await scripted({ [LOOK]: found(), [POST]: { status: 307 } });
    expect(await backend.updateObject(CONTEXT, REF, UPDATE)).to.deep.equal({ outcome: 'updated' });
  });

  it('of one object wait for each other, whatever becomes of them', async () => {
    const { backend, names } = await scripted({
      [LOOK]: found(),
      [POST]: [{ status: 503 }, { status: 202 }],
    });
    const updates = [1, 2, 3].map(() => backend.updateObject(CONTEXT, REF, UPDATE));
    const settled = await Promise.allSettled(updates);
    const statuses = settled.map(({ status }) => status);
    expect(statuses).to.deep.equal(['rejected', 'fulfilled', 'fulfilled']);
    expect(names()).to.deep.equal([LOOK, POST, LOOK, POST, LOOK, POST]);
  });

  it('are never made where the outcome of the read is unknown', async () => {
    const { backend, names } = await scripted({ [LOOK]: { status: 503 }, [POST]: { status: 202 } });
    expect(await codeOf(backend.updateObject(CONTEXT, REF, UPDATE))).to.equal('Unavailable');
    expect(names()).to.deep.equal([LOOK]);
  });
});
