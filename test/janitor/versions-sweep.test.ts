import { expect } from 'chai';
import type { ManifestInput } from '../../src/backend/backend.js';
import { CrashPointBackend } from '../support/backend/crash-points.js';
import { DecoratedBackend } from '../../src/backend/decorators/decorated-backend.js';
import { RecordingBackend } from '../support/backend/recording.js';
import { UnlistingBackend } from '../support/backend/unlisting.js';
import { SYSTEM_METADATA } from '../../src/s3/object/attributes.js';
import { partOf } from '../../src/s3/segments/names.js';
import { indexRef, versionRef } from '../../src/s3/versions/names.js';
import { useEach } from '../support/fixture.js';
import { ACCOUNT, BUCKET, CALL, DAY_MS, NEVER } from './support.js';
import { ARCHIVE, gatewayOn, keyOf, VersionsBench } from './versions-support.js';

const NAME = '0123456789abcdef'.repeat(2);

describe('janitor: what versions leave behind', () => {
  const versions = useEach(() => VersionsBench.open(), 'close');

  async function orphan(key: string, name = NAME): Promise<void> {
    await versions().store.createContainer(CALL, ARCHIVE, {});
    const input = { size: 1, contentType: 'text/plain', body: Buffer.from('x') };
    await versions().store.putObject(CALL, versionRef(keyOf(key), name), input);
  }

  it('is fences, which go when they are old', async () => {
    for (const text of ['1', '2', '3', '4', '5']) await versions().put('many', text);
    await versions().put('one', '1');
    const shown = await versions().show();
    expect(await versions().passAsPlanned()).to.deep.equal([]);
    versions().bench.clock.advance(DAY_MS);
    expect(await versions().passAsPlanned()).to.deep.equal([
      'sweep_versions done many',
      'sweep_versions done one',
    ]);
    expect(await versions().archived()).to.deep.equal([
      ...Array<string>(5).fill('many v'),
      'many index',
      'one v',
      'one index',
    ]);
    expect(await versions().show()).to.deep.equal(shown);
    expect(await versions().passAsPlanned()).to.deep.equal([]);
    await versions().put('many', '6');
    expect((await versions().show())[0]).to.equal('many: 6, 5, 4, 3, 2, 1');
  });

  it('is objects that no index names, beside many that one does', async () => {
    for (const text of ['1', '2', '3', '4', '5']) await versions().put('many', text);
    await versions().mark('many');
    await versions().put('one', '1');
    for (const key of ['many', 'one', 'none']) await orphan(key);
    const shown = await versions().show();
    expect(await versions().passAsPlanned()).to.deep.equal([]);
    versions().bench.clock.advance(DAY_MS);
    expect(await versions().passAsPlanned()).to.deep.equal([
      'sweep_versions done many',
      'sweep_versions done none',
      'sweep_versions done one',
    ]);
    expect(await versions().archived()).to.deep.equal([
      ...Array<string>(5).fill('many v'),
      'many index',
      'one v',
      'one index',
    ]);
    expect(await versions().show()).to.deep.equal(shown);
  });

  it('is no version of a key whose index is lost, for as long as it can be repaired', async () => {
    const { bench, store } = versions();
    for (const text of ['1', '2']) await versions().put('lost', text);
    await store.deleteObject(CALL, indexRef(keyOf('lost')));
    const archived = await versions().archived();
    const visit = async (): Promise<string[]> => {
      await bench.janitor({ versionLostIndexAgeMs: 30 * DAY_MS }).visit(NEVER, 'now');
      return versions().archived();
    };
    bench.clock.advance(29 * DAY_MS);
    // Without the fences, the second pass would find an index that names none of them.
    for (let pass = 1; pass <= 3; pass++) {
      expect(await visit(), `pass ${pass}`).to.deep.equal(archived);
    }
    for (let pass = 1; pass <= 3; pass++) {
      bench.clock.advance(2 * DAY_MS);
      await visit();
    }
    expect(await versions().archived()).to.deep.equal([]);
  });

  it('stays on a store that cannot keep versions, whatever its age', async () => {
    for (const text of ['1', '2', '3', '4', '5']) await versions().put('many', text);
    await orphan('none');
    const archived = await versions().archived();
    versions().bench.clock.advance(DAY_MS);
    for (const lacking of ['systemMetadata', 'atomicCreate']) {
      const capabilities = { ...versions().store.capabilities, [lacking]: false };
      const without = new DecoratedBackend(versions().store, capabilities);
      expect(await versions().pass(without), lacking).to.deep.equal([]);
      expect(versions().bench.unreadable.splice(0), lacking).to.include(ARCHIVE.container);
      expect(await versions().archived(), lacking).to.deep.equal(archived);
    }
  });

  it('is an index without entries, and what was left of a deleted bucket', async () => {
    const id = await versions().put('a', '1');
    await gatewayOn(versions().store).deleteVersion(CALL, keyOf('a'), id, () => undefined);
    expect(await versions().archived()).to.deep.equal(['a g1', 'a g2', 'a index']);
    expect(await versions().passAsPlanned()).to.deep.equal([]);
    versions().bench.clock.advance(DAY_MS);
    expect(await versions().passAsPlanned()).to.deep.equal([
      'sweep_index done a',
      'sweep_versions done a',
    ]);
    expect(await versions().archived()).to.deep.equal([]);
    await versions().put('a', 'again');
    expect(await versions().show()).to.deep.equal(['a: again']);
  });

  it('is the archive of a bucket that is gone, but for what its indexes name', async () => {
    const id = await versions().put('a', '1');
    await versions().put('b', 'kept');
    await gatewayOn(versions().store).deleteVersion(CALL, keyOf('a'), id, () => undefined);
    await versions().store.deleteObject(CALL, { account: ACCOUNT, container: BUCKET, object: 'b' });
    await versions().store.deleteContainer(CALL, { account: ACCOUNT, container: BUCKET });
    versions().bench.clock.advance(DAY_MS);
    expect(await versions().passAsPlanned()).to.deep.equal([
      'sweep_index done a',
      'sweep_versions done a',
      'sweep_versions done b',
    ]);
    expect(await versions().archived()).to.deep.equal(['b v', 'b index']);
    await versions().store.createContainer(CALL, { account: ACCOUNT, container: BUCKET }, {});
    await versions().setState('Enabled');
    expect(await versions().show(), 'and it is all there again').to.deep.equal(['b: kept']);
    const [, b] = (await versions().bench.keys(ARCHIVE.container)).reverse();
    await versions().store.deleteObject(CALL, { ...ARCHIVE, object: b ?? '' });
    await versions().store.deleteObject(CALL, indexRef(keyOf('b')));
    await versions().pass();
    await versions()
      .store.deleteObject(CALL, { account: ACCOUNT, container: BUCKET, object: 'b' })
      .catch(() => undefined);
    await versions().store.deleteContainer(CALL, { account: ACCOUNT, container: BUCKET });
    expect(await versions().pass()).to.deep.equal(['sweep_archive done ']);
    const { containers } = await versions().store.listContainers(CALL, ACCOUNT, { limit: 10 });
    expect(containers.map(({ name }) => name)).to.deep.equal(['.ringway']);
  });

  /** The parts of an upload, and what is made of them, at a name of the archive. */
  async function manifestOf(key: string): Promise<ManifestInput> {
    const { bench } = versions();
    const uploadId = await bench.upload(key, 1, 2);
    const upload = { account: ACCOUNT, bucket: BUCKET, key, uploadId };
    const segments = await Promise.all(
      [1, 2].map(async (number) => {
        const { container, object } = partOf(upload, number);
        const { size, etag } = await versions().store.headObject(CALL, partOf(upload, number));
        return { container, object, size, etag };
      }),
    );
    await bench.removeMarker(key, uploadId);
    const ids = { [SYSTEM_METADATA.uploadId]: uploadId };
    const described = { systemMetadata: ids, listingAttributes: ids };
    return { contentType: 'text/plain', etag: 'x-2', ...described, segments };
  }

  it('takes the parts of a large version with it', async () => {
    const { bench } = versions();
    await versions().store.createContainer(CALL, ARCHIVE, {});
    const manifest = await manifestOf('large');
    await versions().store.putManifest(CALL, versionRef(keyOf('large'), NAME), manifest);
    bench.clock.advance(DAY_MS / 2);
    await versions().pass();
    expect(await bench.segments()).to.have.length(2);
    bench.clock.advance(DAY_MS / 2);
    expect(await versions().pass()).to.deep.equal(['sweep_versions done large']);
    expect(await bench.segments()).to.deep.equal([]);
  });

  /** A version of parts, and a later one. */
  async function largeVersion(): Promise<void> {
    const { systemMetadata, ...manifest } = await manifestOf('large');
    await gatewayOn(versions().store).createVersion(CALL, keyOf('large'), {
      nullVersion: false,
      write: async (ref, added) => {
        const input = { ...manifest, systemMetadata: { ...systemMetadata, ...added } };
        const written = await versions().store.putManifest(CALL, ref, input);
        if (written.outcome !== 'created') throw new Error(written.outcome);
        const { etag, lastModified } = written;
        return { size: 12, etag, lastModified, uploadId: '1'.repeat(32) };
      },
    });
    await versions().put('large', 'later');
  }

  it('leaves the parts alone of a version that the listing lacks', async () => {
    await largeVersion();
    versions().bench.clock.advance(DAY_MS);
    expect(
      await versions().pass(new UnlistingBackend(versions().store, ARCHIVE.container)),
    ).to.deep.equal([]);
    expect(await versions().bench.segments()).to.have.length(2);
  });

  it('leaves the parts alone of a version whose index cannot be read', async () => {
    await largeVersion();
    const input = { size: 1, contentType: 'text/plain', body: Buffer.from('{') };
    await versions().store.putObject(CALL, indexRef(keyOf('large')), input);
    versions().bench.clock.advance(DAY_MS);
    expect(
      await versions().pass(new UnlistingBackend(versions().store, ARCHIVE.container)),
    ).to.deep.equal([]);
    expect(await versions().bench.segments()).to.have.length(2);
    expect(versions().bench.unreadable).to.include('bucket/large');
  });

  it('leaves alone what no gateway wrote, and what cannot be read', async () => {
    await orphan('damaged');
    const input = { size: 1, contentType: 'text/plain', body: Buffer.from('{') };
    await versions().store.putObject(CALL, indexRef(keyOf('damaged')), input);
    await versions().store.putObject(CALL, { ...ARCHIVE, object: 'zz' }, input);
    await orphan('orphaned');
    versions().bench.clock.advance(DAY_MS);
    expect(await versions().pass()).to.deep.equal(['sweep_versions done orphaned']);
    expect(await versions().archived()).to.deep.equal(['damaged v', 'damaged index', 'zz']);
    expect(versions().bench.unreadable).to.include('bucket/damaged');
  });

  /** A PUT that dies at one of its writes. @returns false when it has fewer */
  async function crashed(key: string, at: number, when: 'before' | 'after'): Promise<boolean> {
    const backend = new CrashPointBackend(versions().store, { at, when });
    try {
      await versions().put(key, 'crashed', {}, backend);
      return false;
    } catch (error) {
      if (backend.crashed) return true;
      throw error;
    }
  }

  it('is what a writer that died has left, and nothing is listed that was not before', async () => {
    let crashes = 0;
    for (const earlier of [0, 4]) {
      for (const when of ['before', 'after'] as const) {
        for (let at = 1; ; at++) {
          const key = `${earlier} ${when} ${at}`;
          for (let n = 0; n < earlier; n++) await versions().put(key, String(n));
          if (!(await crashed(key, at, when))) break;
          crashes++;
        }
      }
    }
    expect(crashes).to.be.at.least(16);
    const shown = await versions().show();
    versions().bench.clock.advance(DAY_MS);
    await versions().pass();
    expect(await versions().show()).to.deep.equal(shown);
    // The objects of an unfinished commit go one pass after the commit itself.
    for (let pass = 0; pass < 3; pass++) await versions().pass();
    expect(await versions().show()).to.deep.equal(shown);
    expect(await versions().pass()).to.deep.equal([]);
    const names = (await versions().archived()).filter((name) => name.endsWith(' v'));
    const bodies = shown.flatMap((line) => line.split(','));
    expect(names, 'no object but those of versions').to.have.length(bodies.length);
    for (const key of new Set(shown.map((line) => line.split(':')[0] ?? ''))) {
      await versions().put(key, 'next');
    }
    for (const line of await versions().show()) expect(line).to.match(/: next, /);
  });

  it('never takes an object with the commit that wants it', async () => {
    await versions().put('a', 'before');
    // Its fence is there, and its index not.
    expect(await crashed('a', 4, 'before')).to.equal(true);
    const shown = await versions().show();
    versions().bench.clock.advance(DAY_MS);
    const recording = new RecordingBackend(versions().store);
    await versions().pass(recording);
    const deleted = recording.calls.filter(({ method }) => method === 'deleteObject');
    const names = deleted.map(({ ref }) => ref.object?.split('/').at(-1)).sort();
    expect(names).to.deep.equal(['index.g1.json', 'index.g2.json']);
    expect(await versions().show()).to.deep.equal(shown);
    expect(await versions().pass()).to.deep.equal(['sweep_versions done a']);
    expect(await versions().archived()).to.deep.equal(['a v', 'a index']);
  });
});
