import { expect } from 'chai';
import { failureOf } from '../../support/failure.js';
import { CONTAINER, CONTEXT, found, REF, scripted } from './support/scripted-backend.js';

const LOOK = 'HEAD c/o?symlink=get';
const DELETE = 'DELETE c/o';
const FILTER = { filter: { version: 1, exclusiveDelete: true } } as const;
const NEWER = { 'x-timestamp': '1795160060.00000', 'x-gateway-data-timestamp': '1795160060.00000' };
const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

describe('conditional deletions of objects in Swift', () => {
  it('are of exactly what was read', async () => {
    const { backend, requests, names } = await scripted(
      { [LOOK]: found(), [DELETE]: { status: 204 } },
      FILTER,
    );
    const condition = { present: true, etag: EMPTY_MD5 } as const;
    const { outcome } = await backend.deleteObject(CONTEXT, REF, condition);
    expect(outcome).to.equal('deleted');
    expect(names()).to.deep.equal([LOOK, DELETE]);
    expect(requests[0]?.headers).to.include({ 'x-newest': 'true' });
    expect(requests[1]?.headers).to.deep.equal({
      'x-gateway-not-newer': '1795160050.29177',
      'x-gateway-state': '1795160050.29176',
    });
    // Deleting a second time could be told that there is nothing.
    expect(requests[1]?.repeatable).not.to.equal(true);
  });

  it('look again when it was written or changed meanwhile', async () => {
    const { backend, requests } = await scripted(
      { [LOOK]: [found(), found(NEWER)], [DELETE]: [{ status: 409 }, { status: 204 }] },
      FILTER,
    );
    const { outcome } = await backend.deleteObject(CONTEXT, REF, { present: true });
    expect(outcome).to.equal('deleted');
    expect(requests[3]?.headers?.['x-gateway-state']).to.equal('1795160060.00000');
  });

  it('delete nothing that has another ETag', async () => {
    const { backend, names } = await scripted(
      { [LOOK]: [found(), found({ ...NEWER, etag: 'f'.repeat(32) })], [DELETE]: { status: 409 } },
      FILTER,
    );
    const condition = { present: true, etag: EMPTY_MD5 } as const;
    const { outcome } = await backend.deleteObject(CONTEXT, REF, condition);
    expect(outcome).to.equal('precondition_failed');
    expect(names()).to.deep.equal([LOOK, DELETE, LOOK]);
  });

  it('find nothing where another one was first', async () => {
    const { backend, names } = await scripted(
      { 'HEAD c': CONTAINER, [LOOK]: [found(), { status: 404 }], [DELETE]: { status: 404 } },
      FILTER,
    );
    const error = await failureOf(backend.deleteObject(CONTEXT, REF, { present: true }));
    expect(error.code).to.equal('NoSuchObject');
    expect(names()).to.deep.equal([LOOK, DELETE, LOOK]);
  });

  it('wait for another deletion of the same object', async () => {
    const busy = { status: 409, headers: { 'x-gateway-create': 'busy' } };
    const { backend, names } = await scripted(
      { [LOOK]: found(), [DELETE]: [busy, { status: 204 }] },
      FILTER,
    );
    const { outcome } = await backend.deleteObject(CONTEXT, REF, { present: true });
    expect(outcome).to.equal('deleted');
    expect(names()).to.deep.equal([LOOK, DELETE, DELETE]);
  });

  for (const [what, info] of [
    ['a filter that does not know of them', { filter: { version: 1 } }],
    ['no filter', { filter: undefined }],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      const { backend, names } = await scripted({ [LOOK]: found() }, info);
      expect(backend.capabilities.exclusiveDelete).to.equal(false);
      const error = await failureOf(backend.deleteObject(CONTEXT, REF, { present: true }));
      expect(error.code).to.equal('Unsupported');
      expect(names().filter((name) => name === DELETE)).to.deep.equal([]);
    });
  }
});
