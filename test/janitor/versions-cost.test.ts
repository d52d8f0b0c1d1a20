import { expect } from 'chai';
import type { BackendMethod } from '../../src/backend/decorators/decorated-backend.js';
import { RecordingBackend } from '../support/backend/recording.js';
import { mapLimited } from '../../src/lib/promises.js';
import { IndexStore, NOTHING_STORED, prepareIndex } from '../../src/s3/versions/index-store.js';
import { VersionIds, type VersionEntry } from '../../src/s3/versions/version-entry.js';
import { rules } from '../s3/rules/lifecycle/support.js';
import { useEach } from '../support/fixture.js';
import { CALL, DAY_MS } from './support.js';
import { gatewayOn, keyOf, VersionsBench } from './versions-support.js';

/** More by hand, to measure: docs/operations.md has what came of it. */
const KEYS = Number(process.env.COST_KEYS ?? 100);
const MANY = Number(process.env.COST_VERSIONS ?? 3_000);

describe('janitor: what a pass over versions costs', () => {
  const versions = useEach(() => VersionsBench.open(), 'close');

  /** Calls of a pass, but for those of its lease and of the containers. */
  async function calls(): Promise<Partial<Record<BackendMethod, number>>> {
    const backend = new RecordingBackend(versions().store);
    await versions().pass(backend);
    const counts: Partial<Record<BackendMethod, number>> = {};
    for (const { method, ref } of backend.calls) {
      if (ref.container === '.ringway' || ref.object === undefined) {
        if (method !== 'listObjects') continue;
      }
      counts[method] = (counts[method] ?? 0) + 1;
    }
    return counts;
  }

  async function fill(perKey: number): Promise<void> {
    const keys = Array.from({ length: KEYS }, (_, n) => `key-${n}`);
    await mapLimited(keys, 64, async (key) => {
      for (let n = 0; n < perKey; n++) await versions().put(key, String(n), { days: 20 - n });
    });
  }

  it(`is listings where nothing is due, of ${KEYS} keys`, async function () {
    this.timeout(60_000 + KEYS * 100);
    await fill(3);
    await versions().rules(rules({ noncurrentVersionExpiration: { noncurrentDays: 100 } }));
    const idle = await calls();
    expect(idle).to.have.all.keys('listObjects');
    versions().bench.clock.advance(DAY_MS);
    const swept = await calls();
    expect(swept.deleteObject, 'each fence').to.equal(3 * KEYS);
    expect(swept).to.have.all.keys('listObjects', 'deleteObject');
    await versions().rules(rules({ noncurrentVersionExpiration: { noncurrentDays: 1 } }));
    const pruned = await calls();
    // Two versions and, as the clock is ahead, the fence of their removal.
    expect(pruned.deleteObject).to.equal(3 * KEYS);
    expect(pruned.headObject, 'the locks of each').to.equal(2 * KEYS);
    expect(pruned.putObject, 'one commit').to.equal(2 * KEYS);
    expect(pruned.putLink).to.equal(KEYS);
    if (KEYS > 100) console.info({ idle, swept, pruned });
  });

  it(`is some commits for a key with ${MANY} versions`, async function () {
    this.timeout(120_000);
    const ids = new VersionIds();
    const now = Date.now();
    const entries = Array.from({ length: MANY }, (_, n): VersionEntry => {
      const lastModified = now - 10 * DAY_MS - n * 1000;
      const name = ids.mintFor(lastModified);
      return { id: name, name, kind: 'version', lastModified, size: 1, etag: '0'.repeat(32) };
    });
    await versions().put('many', 'current');
    const store = new IndexStore({ backend: versions().store, indexBytesMax: 8 * 1024 * 1024 });
    const before = await store.readIndex(CALL, keyOf('many'));
    const index = { ...before.index, entries: [...before.index.entries, ...entries] };
    await store.writeIndex(CALL, keyOf('many'), prepareIndex(index), before);
    expect(before).to.not.equal(NOTHING_STORED);
    const noncurrentVersionExpiration = { noncurrentDays: 5, newerNoncurrentVersions: 10 };
    await versions().rules(rules({ noncurrentVersionExpiration }));
    const counts = await calls();
    expect(counts.putObject, 'a fence and an index for each thousand').to.equal((2 * MANY) / 1000);
    expect(counts.getObject).to.be.at.most(5 + (3 * MANY) / 1000);
    const left = await gatewayOn(versions().store).readIndex(CALL, keyOf('many'));
    expect(left.entries).to.have.length(11);
    expect(await versions().pass()).to.deep.equal([]);
  });
});
