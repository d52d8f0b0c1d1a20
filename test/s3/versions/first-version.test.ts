import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { PlainSightings } from '../../../src/s3/versions/current-state.js';
import { renderIndex } from '../../../src/s3/versions/documents.js';
import { currentRef, indexRef, isIndexRef, versionRef } from '../../../src/s3/versions/names.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { useEach } from '../../support/fixture.js';
import { codeOf } from '../../support/failure.js';
import { type Place, untilAsleep } from './sleepy.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  keyOf,
  memoryStore,
  postponingGatewayOn,
  put,
  putPlain,
  read,
  readVersion,
} from './support.js';

const KEY = keyOf('a/key');

/** A gateway that has found keys of the bucket without an object. */
function gatewayOn(backend: Backend): VersionedKeys {
  const plainSightings = new PlainSightings();
  plainSightings.note(KEY, { kind: 'nothing' });
  const pause = () => Promise.resolve();
  return new VersionedKeys({ backend, indexBytesMax: 100_000, plainSightings, pause });
}

/** Somebody between repeats the first write of an index, and it is the second answer that comes. */
class Twice extends DecoratedBackend {
  #isDone = false;

  override async putObject(...args: Parameters<Backend['putObject']>) {
    const outcome = await super.putObject(...args);
    if (this.#isDone || !isIndexRef(args[1])) return outcome;
    this.#isDone = true;
    return super.putObject(...args);
  }
}

describe('s3/versions: a first version in the place of the index', () => {
  const store = useEach(async () => (await memoryStore({ strength: 'ordered' })).asBackend);
  const versions = useEach(() => gatewayOn(store()));

  async function putFirst(text: string, key = KEY): Promise<string> {
    const { versionId } = await put(store(), versions(), key, text);
    expect(await archivedNames(store(), key), 'objects beside it').to.deep.equal([]);
    return versionId;
  }

  /** @returns a function that wakes it, and waits for its end */
  const putLate = (where: Place, text: string) =>
    untilAsleep(store(), where, (sleepy) => put(sleepy, gatewayOn(sleepy), KEY, text));

  it('is read by its key and by its id, and moves when another one comes', async () => {
    const id = await putFirst('first');
    expect(await read(store(), KEY)).to.equal('first');
    expect(await readVersion(store(), versions(), KEY, id)).to.equal('first');
    await put(store(), gatewayOn(store()), KEY, 'second');
    expect(await archivedNames(store(), KEY))
      .to.include(id)
      .and.have.length(2);
    expect(await readVersion(store(), gatewayOn(store()), KEY, id)).to.equal('first');
    expect(await bodiesOf(store(), versions(), KEY)).to.deep.equal(['second', 'first']);
  });

  it('may look like an index', async () => {
    const index = await versions().readIndex(CALL, KEY);
    const text = renderIndex({ ...index, generation: 7, commit: 'a'.repeat(32) }).toString();
    const id = await putFirst(text);
    const { entries } = await gatewayOn(store()).readIndex(CALL, KEY);
    expect(entries.map((entry) => entry.id)).to.deep.equal([id]);
    expect(await read(store(), KEY)).to.equal(text);
  });

  it('stays where others have changed it, when a move comes late', async () => {
    const id = await putFirst('first');
    const wake = await putLate('before its move', 'late');
    await gatewayOn(store()).touchVersion(CALL, KEY, id, () => ({ hold: 'ON' }));
    await wake();
    const { systemMetadata } = await store().headObject(CALL, versionRef(KEY, id));
    expect(systemMetadata.hold).to.equal('ON');
    expect(await bodiesOf(store(), versions(), KEY)).to.deep.equal(['late', 'first']);
  });

  it('is not brought back by a late move once it is deleted', async () => {
    const id = await putFirst('first');
    const wake = await putLate('before its move', 'late');
    await gatewayOn(store()).deleteVersion(CALL, KEY, id, () => undefined);
    await wake();
    expect(await bodiesOf(store(), versions(), KEY)).to.deep.equal(['late']);
    expect(await readVersion(store(), versions(), KEY, id)).to.equal(undefined);
  });

  it('is not there any more for a link that comes too late', async () => {
    const wake = await putLate('before its link', 'first');
    const { entries } = await versions().readIndex(CALL, KEY);
    await versions().moveFirst(CALL, KEY);
    await wake();
    expect(await read(store(), KEY)).to.equal('first');
    const { link } = await store().headObject(CALL, currentRef(KEY));
    expect(link?.target.object).to.equal(versionRef(KEY, entries[0]?.name ?? '').object);
  });

  it('leaves a broken link behind for a moment, which the next reader mends', async () => {
    await putFirst('first');
    const wake = await putLate('before its link', 'second');
    await gatewayOn(store()).readIndex(CALL, KEY);
    const broken = store().getObject(CALL, currentRef(KEY));
    expect(await codeOf(broken)).to.equal('BrokenLink');
    await versions().repairLink(CALL, KEY);
    expect(await read(store(), KEY)).to.equal('second');
    await wake();
  });

  it('moves before it is changed, and its link follows', async () => {
    const id = await putFirst('first');
    await versions().moveFirst(CALL, KEY);
    const { link, etag } = await store().headObject(CALL, currentRef(KEY));
    expect(link?.target.object).to.equal(versionRef(KEY, id).object);
    await store().updateObject(CALL, versionRef(KEY, id), { systemMetadata: { tags: 'a=b' } });
    await versions().moveFirst(CALL, KEY);
    await put(store(), versions(), KEY, 'second');
    const moved = await store().headObject(CALL, versionRef(KEY, id));
    expect([moved.systemMetadata.tags, moved.etag]).to.deep.equal(['a=b', etag]);
  });

  it('gives way to an object that another client writes at the key meanwhile', async () => {
    const wake = await putLate('before its link', 'first');
    await putPlain(store(), KEY, 'plain');
    await wake();
    const bodies = await bodiesOf(store(), versions(), KEY);
    expect(bodies.toSorted()).to.deep.equal(['first', 'null plain']);
  });

  for (const dies of [true, false]) {
    const reader = dies ? 'a reader that dies then' : 'a reader';
    it(`has a broken link that ${reader} mends only until a later one is there`, async () => {
      await putFirst('first');
      const wakeWriter = await putLate('before its link', 'second');
      const wakeReader = await untilAsleep(store(), 'before its link', (sleepy) =>
        gatewayOn(sleepy).repairLink(CALL, KEY),
      );
      await wakeWriter();
      await put(store(), postponingGatewayOn(store()), KEY, 'third');
      await wakeReader(dies ? 'to die behind its write' : undefined).catch(() => undefined);
      expect(await read(store(), KEY)).to.equal('third');
    });
  }

  it('is kept when its write is sent twice on the way', async () => {
    const twice = new Twice(store());
    const texts = ['one', 'two', 'three', 'four'];
    const gateway = gatewayOn(twice);
    await Promise.all(texts.map((text) => put(twice, gateway, KEY, text)));
    await put(store(), versions(), KEY, 'five');
    expect(await bodiesOf(store(), versions(), KEY)).to.have.members([...texts, 'five']);
  });

  it('follows a change that another one has begun', async () => {
    const id = await putFirst('first');
    await untilAsleep(store(), 'behind its fence', (sleepy) =>
      gatewayOn(sleepy).touchVersion(CALL, KEY, id, () => ({ hold: 'ON' })),
    );
    await versions().touchVersion(CALL, KEY, id, () => ({ mode: 'GOVERNANCE' }));
    expect(await read(store(), KEY)).to.equal('first');
  });

  it('is deleted only after a look at its locks', async () => {
    const id = await putFirst('first');
    const looked: number[] = [];
    await versions().deleteVersion(CALL, KEY, id, ({ size }) => void looked.push(size));
    expect(looked).to.deep.equal(['first'.length]);
  });

  it('is no reason to write the link to a lost version again and again', async () => {
    await putFirst('first');
    const { versionId } = await put(store(), versions(), KEY, 'lost');
    await store().deleteObject(CALL, versionRef(KEY, versionId));
    await versions().repairLink(CALL, KEY);
    expect(await codeOf(store().getObject(CALL, currentRef(KEY)))).to.equal('BrokenLink');
    await put(store(), versions(), KEY, 'third');
    expect(await read(store(), KEY)).to.equal('third');
  });

  it('goes with the key', async () => {
    const id = await putFirst('first');
    await versions().deleteVersion(CALL, KEY, id, () => undefined);
    expect(await read(store(), KEY)).to.equal(undefined);
    expect((await versions().readIndex(CALL, KEY)).entries).to.deep.equal([]);
    expect(await archivedNames(store(), KEY)).to.deep.equal([]);
  });

  it('stays where it is while the index that follows is postponed', async () => {
    const id = await putFirst('first');
    const postponing = postponingGatewayOn(store());
    await put(store(), postponing, KEY, 'second');
    await put(store(), postponing, KEY, 'third');
    const first = await store().headObject(CALL, indexRef(KEY));
    expect(first.size).to.equal('first'.length);
    await postponing.writePostponed();
    expect(await archivedNames(store(), KEY))
      .to.include(id)
      .and.have.length(3);
    expect(await bodiesOf(store(), versions(), KEY)).to.deep.equal(['third', 'second', 'first']);
  });
});
