import { expect } from 'chai';
import { CALL } from '../../janitor/support.js';
import { useOnce } from '../../support/fixture.js';
import { skipBecause } from '../../support/skip.js';
import { expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import {
  bringBack,
  change,
  makeContainer,
  ok,
  query,
  throwAway,
  unique,
  upload,
} from './support.js';

const CONTAINER = unique('s3-meta');
const LONG = 'x'.repeat(1500);

/** Metadata as clients of S3 write it: other names and longer values than this page makes. */
describe('console files: metadata of S3 clients', () => {
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());

  before(() => makeContainer(client(), CONTAINER));

  async function put(object: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    const { backend } = bed().store;
    if (backend === undefined) throw new Error('there is no embedded store');
    await backend.putObject(
      CALL,
      { account: 'AUTH_test', container: CONTAINER, object },
      { size: 1, contentType: 'text/plain', metadata, body: Buffer.from('x') },
    );
  }

  const metaOf = async (name: string) => {
    const path = `/api/files/object?${query({ container: CONTAINER, name })}`;
    return (await client().read<{ meta: Record<string, string> }>(path)).meta;
  };
  const save = (name: string, meta: object, more: object = {}) =>
    change(client(), 'object', { container: CONTAINER, name, meta, ...more });

  it('is saved back unchanged, and changed beside it', async function () {
    if (bed().store.backend === undefined) skipBecause(this, 'a proxy takes no such metadata');
    const rest = { "it's": 'b', constructor: 'c', long: LONG, 'l2.~': LONG };
    const given = { 'has.dot': 'a', ...rest };
    await put('o', given);
    expect(await metaOf('o')).to.deep.equal(given);
    await ok(save('o', given, { content_type: 'text/x-thing' }), 204);
    expect(await metaOf('o')).to.deep.equal(given);
    await ok(save('o', { ...rest, new: 'n' }), 204);
    expect(await metaOf('o')).to.deep.equal({ ...rest, new: 'n' });
  });

  const FOREIGN = { a: 'café', b: 'Привет', c: 'é', d: 'in the mïddle', e: 'plain' };

  it('keeps characters beyond ASCII at the ends of values, touched or not', async () => {
    const name = 'foreign';
    await ok(upload(client(), CONTAINER, name, 'x'), 201);
    await ok(save(name, FOREIGN), 204);
    expect(await metaOf(name)).to.deep.equal(FOREIGN);
    await ok(save(name, { ...FOREIGN, e: 'changed' }), 204);
    expect(await metaOf(name)).to.deep.equal({ ...FOREIGN, e: 'changed' });
  });

  it('keeps those that S3 clients have stored, beside what is changed', async function () {
    const { backend } = bed().store;
    if (backend === undefined) skipBecause(this, 'a proxy takes no such metadata');
    await put('of-s3', FOREIGN);
    expect(await metaOf('of-s3')).to.deep.equal(FOREIGN);
    await ok(save('of-s3', { ...FOREIGN, e: 'changed' }), 204);
    expect(await metaOf('of-s3')).to.deep.equal({ ...FOREIGN, e: 'changed' });
    const ref = { account: 'AUTH_test', container: CONTAINER, object: 'of-s3' };
    const { metadata } = await backend.headObject(CALL, ref);
    expect(metadata.d, 'sent back as it was').to.equal(FOREIGN.d);
  });

  it('comes back from the trash as it was', async function () {
    if (bed().store.backend === undefined) skipBecause(this, 'a proxy takes no such metadata');
    await put('thrown', FOREIGN);
    await throwAway(client(), CONTAINER, 'thrown');
    await bringBack(client(), CONTAINER);
    expect(await metaOf('thrown')).to.deep.equal(FOREIGN);
  });

  it('may not be made longer here than the store takes', async function () {
    if (bed().store.backend === undefined) skipBecause(this, 'a proxy takes no such metadata');
    await put('p', { long: LONG });
    for (const meta of [{ long: `${LONG}x` }, { long: LONG, other: 'y'.repeat(257) }]) {
      await expectRefused(save('p', meta), 400, 'meta_too_large');
    }
    expect(await metaOf('p')).to.deep.equal({ long: LONG });
  });
});
