import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { ObjectRef } from '../../src/backend/backend.js';
import {
  CONTEXT,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  LARGE,
  patternBytes,
  readObject,
} from './fixture.js';
import { linkTo } from './links.js';
import { skipBecause } from '../support/skip.js';

const OPEN = { openExpired: true };

const POLL_MS = 20;

/** Swift takes whole seconds, and none that are over. */
function soon(): number {
  return (Math.floor(Date.now() / 1000) + 2) * 1000;
}

const NEVER_SEEN = Math.floor(Date.now() / 1000 + 86_400) * 1000;

/** An object that has expired by now. */
async function expired(fixture: Fixture, body: Buffer | string = 'over'): Promise<ObjectRef> {
  const { backend } = fixture;
  const ref = await freshObject(fixture);
  await backend.putObject(CONTEXT, ref, inputOf(body, { deleteAt: soon() }));
  expect((await readObject(fixture, ref)).equals(Buffer.from(body))).to.equal(true);
  while (!(await isGone(fixture, ref))) await setTimeout(POLL_MS);
  return ref;
}

async function isGone({ backend }: Fixture, ref: ObjectRef): Promise<boolean> {
  return backend.headObject(CONTEXT, ref).then(
    () => false,
    () => true,
  );
}

export function describeExpiry(fixture: Fixture): void {
  describe('expiry', () => {
    describeTimes(fixture);
    describeExpired(fixture);
  });
}

function describeTimes(fixture: Fixture): void {
  it('is told of an object, kept by updates and copies, and taken back', async () => {
    const { backend } = fixture;
    const ref = await freshObject(fixture);
    await backend.putObject(CONTEXT, ref, inputOf('x', { deleteAt: NEVER_SEEN }));
    expect(await backend.headObject(CONTEXT, ref)).to.include({ deleteAt: NEVER_SEEN });
    await backend.updateObject(CONTEXT, ref, { metadata: { a: 'b' } });
    expect(await backend.headObject(CONTEXT, ref)).to.include({ deleteAt: NEVER_SEEN });
    const copy = { ...ref, object: 'copy' };
    await backend.copyObject(CONTEXT, ref, copy, {});
    expect(await backend.headObject(CONTEXT, copy)).to.include({ deleteAt: NEVER_SEEN });
    await backend.copyObject(CONTEXT, ref, copy, { deleteAt: null });
    expect(await backend.headObject(CONTEXT, copy)).to.not.have.property('deleteAt');
    await backend.updateObject(CONTEXT, ref, { deleteAt: null });
    expect(await backend.headObject(CONTEXT, ref)).to.not.have.property('deleteAt');
    await backend.updateObject(CONTEXT, ref, { deleteAt: NEVER_SEEN + 1000 });
    expect(await backend.headObject(CONTEXT, ref)).to.include({ deleteAt: NEVER_SEEN + 1000 });
    await backend.putObject(CONTEXT, ref, inputOf('y'));
    expect(await backend.headObject(CONTEXT, ref)).to.not.have.property('deleteAt');
  });
}

function describeExpired(fixture: Fixture): void {
  it('hides an object from every reader but one that asks for expired objects', async () => {
    const { backend } = fixture;
    const bytes = patternBytes(LARGE);
    const ref = await expired(fixture, bytes);
    await failure('NoSuchObject', backend.getObject(CONTEXT, ref));
    await failure('NoSuchObject', backend.getSegments(CONTEXT, ref));
    await failure('NoSuchObject', backend.updateObject(CONTEXT, ref, { metadata: {} }));
    await failure('NoSuchObject', backend.copyObject(CONTEXT, ref, { ...ref, object: 'c' }, {}));
    await failure('NoSuchObject', backend.deleteObject(CONTEXT, ref));
    const { head, body } = await backend.getObject(CONTEXT, ref, undefined, OPEN);
    expect(head.size).to.equal(LARGE);
    body.cancel();
  });

  it('breaks links to an object', async () => {
    const { backend } = fixture;
    const target = await expired(fixture);
    const link = { ...(await freshContainer(fixture)), object: 'link' };
    await backend.putLink(CONTEXT, link, linkTo(target));
    await failure('BrokenLink', backend.headObject(CONTEXT, link));
  });

  it('lets an object be created again, and be removed by a caller that asks for expired objects', async () => {
    const { backend } = fixture;
    const [ref, other] = await Promise.all([expired(fixture), expired(fixture)]);
    const created = await backend.putObject(CONTEXT, ref, inputOf('new'), { absent: true });
    expect(created.outcome).to.equal('created');
    expect((await readObject(fixture, ref)).toString()).to.equal('new');
    // Elsewhere it is the store's own to remove.
    if (backend.listExpired === undefined) return;
    const removed = await backend.deleteObject(CONTEXT, other, undefined, OPEN);
    expect(removed).to.deep.equal({ outcome: 'deleted' });
    await failure('NoSuchObject', backend.headObject(CONTEXT, other, OPEN));
  });

  it('is listed until what has expired is removed', async function () {
    const { backend, account } = fixture;
    if (backend.listExpired === undefined) skipBecause(this, 'a store that lists what has expired');
    const [first, second] = await Promise.all([expired(fixture), expired(fixture)]);
    const found = await backend.listExpired(CONTEXT, account, { limit: 10_000 });
    const refs = found.map(({ ref }) => ref);
    expect(refs).to.deep.include(first).and.to.deep.include(second);
    const page = await backend.listExpired(CONTEXT, account, { limit: 1 });
    expect(page).to.deep.equal(found.slice(0, 1));
    const after = page[0];
    const rest = await backend.listExpired(CONTEXT, account, { limit: 10_000, after });
    expect(rest).to.deep.equal(found.slice(1));
    await backend.deleteObject(CONTEXT, first, undefined, OPEN);
    await backend.putObject(CONTEXT, second, inputOf('again'));
    const left = await backend.listExpired(CONTEXT, account, { limit: 10_000 });
    expect(left).to.have.length(found.length - 2);
    expect(await backend.listExpired(CONTEXT, `${account}-2`, { limit: 10 })).to.deep.equal([]);
  });
}
