import { expect } from 'chai';
import { rules } from '../s3/rules/lifecycle/support.js';
import { useEach } from '../support/fixture.js';
import { CALL, DAY_MS, NEVER } from './support.js';
import { gatewayOn, keyOf, VersionsBench } from './versions-support.js';

const WRITERS = 4;
const WRITES = 12;
const KEPT = 3;
const KEYS = ['a', 'b'];

describe('janitor: versions that clients are writing', () => {
  const versions = useEach(() => VersionsBench.open(), 'close');

  it('go by their rule, and nothing else goes', async function () {
    this.timeout(60_000);
    const noncurrentVersionExpiration = { noncurrentDays: 1, newerNoncurrentVersions: KEPT };
    await versions().rules(rules({ noncurrentVersionExpiration }));
    versions().bench.clock.advance(10 * DAY_MS);
    const acknowledged = new Map(KEYS.map((key) => [key, [] as string[]]));
    let writing = WRITERS;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < WRITES; n++) {
        const key = KEYS[n % KEYS.length] ?? '';
        const id = await versions().put(key, `${writer} ${n}`, { days: 5 });
        acknowledged.get(key)?.push(id);
      }
      writing--;
    };
    const pass = async (): Promise<void> => {
      // The clock is ahead: what is being written would pass for old.
      const visit = await versions()
        .bench.janitor({ versionSweepAgeMs: 1000 * DAY_MS })
        .visit(NEVER, 'now');
      expect(visit.outcome).to.equal('finished');
    };
    const clean = async (): Promise<void> => {
      while (writing > 0) await pass();
      await pass();
    };
    await Promise.all([clean(), ...Array.from({ length: WRITERS }, (_, n) => write(n))]);
    expect(versions().bench.unreadable).to.deep.equal([]);
    for (const [key, ids] of acknowledged) {
      const { entries } = await gatewayOn(versions().store).readIndex(CALL, keyOf(key));
      expect(entries).to.have.length(KEPT + 1);
      expect(ids).to.include.members(entries.map(({ id }) => id));
      const gone = versions().bench.told.filter((line) => line === `expire_noncurrent done ${key}`);
      expect(gone, 'each that went was told').to.have.length(ids.length - entries.length);
    }
    const shown = await versions().show();
    expect(shown.join()).to.match(/^a: (\d \d+, ){3}\d \d+,b: (\d \d+, ){3}\d \d+$/);
  });
});
