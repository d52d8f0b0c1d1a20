import { expect } from 'chai';
import type { Backend, CallContext } from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { openEmbeddedStore } from '../../../src/backend/embedded/index.js';
import { LISTING_ATTRIBUTES } from '../../../src/s3/versions/listing/index-summary.js';
import { archiveContainer, hexKey } from '../../../src/s3/versions/names.js';
import { removeVersionsContainer } from '../../../src/s3/versions/remove.js';
import { useEach } from '../../support/fixture.js';
import { useTempFolder } from '../../support/temp-folder.js';

const CALL: CallContext = { requestId: 'remove' };
const PLACE = { account: 'AUTH_test', bucket: 'bucket' };
const ARCHIVE = archiveContainer(PLACE.account, PLACE.bucket);
const OTHER = { account: 'AUTH_test', container: 'other+versions' };

describe('s3 versions: the archive of a deleted bucket', () => {
  const directory = useTempFolder('versions-remove');
  const store = useEach<Backend>(() => openEmbeddedStore({ directory: directory() }), 'close');

  beforeEach(async () => {
    await store().createContainer(CALL, ARCHIVE, {});
    await store().createContainer(CALL, OTHER, {});
  });

  let puts = 0;

  /** No two alike, as with indexes. @returns a time behind that of the last one */
  async function put(...names: readonly string[]): Promise<number> {
    let after = 0;
    for (const object of names) {
      puts += 1;
      const body = Buffer.from(JSON.stringify({ puts }));
      const input = { size: body.length, contentType: 'application/json', body };
      const put = await store().putObject(CALL, { ...ARCHIVE, object }, input);
      if (put.outcome === 'created') after = put.lastModified + 1;
    }
    return after;
  }

  const remove = (deletedAfter: number, from = store()) =>
    removeVersionsContainer(from, CALL, { ...PLACE, deletedAfter });

  async function names(): Promise<string[]> {
    const { entries } = await store().listObjects(CALL, ARCHIVE, { limit: 10_000 });
    return entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object.name] : []));
  }

  async function containers(): Promise<string[]> {
    const page = await store().listContainers(CALL, PLACE.account, { limit: 10 });
    return page.containers.map(({ name }) => name);
  }

  const key = hexKey('key');
  const LEFT = [`${key}/${'0'.repeat(32)}`, `${key}/index.g1.json`, `${key}/index.json`];

  it('goes with all that is in it', async () => {
    const deletedAfter = await put(...LEFT, 'something else');
    expect(await remove(deletedAfter)).to.equal('removed');
    expect(await containers()).to.deep.equal(['other+versions']);
    // And once more changes nothing.
    expect(await remove(deletedAfter)).to.equal('removed');
  });

  it('keeps what was written after the deletion', async () => {
    const deletedAfter = await put(...LEFT);
    const young = `${key}/${'1'.repeat(32)}`;
    while (Date.now() <= deletedAfter) await new Promise(setImmediate);
    await put(young, `${key}/index.json`);
    expect(await remove(deletedAfter)).to.equal('kept');
    expect(await names()).to.deep.equal([young, `${key}/index.json`]);
  });

  it('keeps an index that is replaced on the way, and removes it last', async () => {
    const deletedAfter = await put(...LEFT);
    const removed: string[] = [];
    const racing = wrapped(store(), async (object) => {
      removed.push(object);
      if (object.endsWith('index.json')) await put(object);
    });
    expect(await remove(deletedAfter, racing)).to.equal('kept');
    expect(removed.at(-1)).to.equal(`${key}/index.json`);
    expect(await names()).to.deep.equal([`${key}/index.json`]);
  });

  it('keeps indexes where the store cannot make sure which one it removes', async () => {
    const deletedAfter = await put(...LEFT);
    const capabilities = {
      ...store().capabilities,
      conditionalReplace: false,
      conditionalDelete: false,
    };
    const weak = Object.assign(wrapped(store()), { capabilities });
    expect(await remove(deletedAfter, weak)).to.equal('kept');
    expect(await names()).to.deep.equal([`${key}/index.json`]);
  });

  it('may be larger than a page', async () => {
    const many = Array.from(
      { length: 1005 },
      (_, number) => `${hexKey(`key ${number}`)}/index.json`,
    );
    let deletedAfter = 0;
    await Promise.all(
      many.map(async (name) => {
        deletedAfter = Math.max(deletedAfter, await put(name));
      }),
    );
    expect(await remove(deletedAfter)).to.equal('removed');
  });

  it('keeps the index of a key that is written again, where all its generations have one time', async () => {
    const deletedAfter = await put(...LEFT);
    while (Date.now() <= deletedAfter) await new Promise(setImmediate);
    await put(`${key}/index.g2.json`);
    const ordered = new Ordered(store());
    expect(await remove(deletedAfter, ordered)).to.equal('kept');
    expect(await names()).to.deep.equal([`${key}/index.g2.json`, `${key}/index.json`]);
  });

  it('removes an index of any size in its generation, where all of them have one time', async () => {
    const body = Buffer.from('too large for a summary');
    const listingAttributes = {
      [LISTING_ATTRIBUTES.versions]: '9',
      [LISTING_ATTRIBUTES.deleteMarkers]: '9',
      [LISTING_ATTRIBUTES.generation]: '12',
    };
    const input = { size: body.length, contentType: 'application/json', body, listingAttributes };
    const put = await store().putObject(CALL, { ...ARCHIVE, object: `${key}/index.json` }, input);
    if (put.outcome !== 'created') throw new Error(put.outcome);
    const { lastModified: since } = put;
    const ordered = new Ordered(store());
    await remove(since + 1, ordered);
    expect(ordered.deletions).to.deep.equal([{ order: { since, rank: 25 } }]);
  });
});

/** It says that it orders writes. */
class Ordered extends DecoratedBackend {
  /** How each object was deleted. */
  readonly deletions: unknown[] = [];

  constructor(inner: Backend) {
    super(inner, { ...inner.capabilities, orderedWrites: true });
  }

  override deleteObject(...args: Parameters<Backend['deleteObject']>) {
    const [, , , options] = args;
    this.deletions.push(options);
    return super.deleteObject(...args);
  }
}

/** The store, with something that happens before each deletion. */
function wrapped(
  store: Backend,
  beforeDelete: (object: string) => Promise<void> = () => Promise.resolve(),
): Backend {
  const wrapper = {
    capabilities: store.capabilities,
    listObjects: store.listObjects.bind(store),
    deleteContainer: store.deleteContainer.bind(store),
    deleteObject: async (...args: Parameters<Backend['deleteObject']>) => {
      await beforeDelete(args[1].object);
      return store.deleteObject(...args);
    },
  };
  return wrapper as unknown as Backend;
}
