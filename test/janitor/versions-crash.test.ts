import { expect } from 'chai';
import { CrashPointBackend } from '../support/backend/crash-points.js';
import { inDays, rules } from '../s3/rules/lifecycle/support.js';
import { CALL, DAY_MS } from './support.js';
import { gatewayOn, keyOf, VersionsBench } from './versions-support.js';

const RULES = rules(
  { noncurrentVersionExpiration: { noncurrentDays: 3 } },
  { expiration: inDays(2), filter: { prefix: 'expiring' } },
  { expiration: { expiredObjectDeleteMarker: true } },
);

/** The result of a pass, after one that died at any of its writes. */
const RESULT = ['expiring: -, new', 'kept: 3', 'null: -, null 2'];

describe('janitor: a pass over versions that dies', () => {
  it('after any of its writes is finished by the next one', async function () {
    this.timeout(60_000);
    let writes = 0;
    for (let at = 1; ; at++) {
      const versions = await VersionsBench.open();
      try {
        await fill(versions);
        const backend = new CrashPointBackend(versions.store, { at, when: 'after' });
        await versions.pass(backend).catch((error: unknown) => {
          if (!backend.crashed) throw error;
        });
        versions.bench.clock.advance(DAY_MS / 2);
        await versions.pass();
        expect(await versions.show(), `write ${at}`).to.deep.equal(RESULT);
        versions.bench.clock.advance(DAY_MS);
        await versions.pass();
        await versions.pass();
        expect(await versions.show(), `write ${at}, swept`).to.deep.equal(RESULT);
        if (!backend.crashed) break;
        writes = at;
      } finally {
        await versions.close();
      }
    }
    expect(writes).to.be.at.least(15);
  });
});

async function fill(versions: VersionsBench): Promise<void> {
  await versions.put('expiring', 'old', { days: 9 });
  await versions.put('expiring', 'new', { days: 5 });
  for (const n of [1, 2, 3]) await versions.put('kept', String(n), { days: 9 - n });
  const id = await versions.put('gone', 'x', { days: 5 });
  await versions.mark('gone', 4);
  await gatewayOn(versions.store).deleteVersion(CALL, keyOf('gone'), id, () => undefined);
  await versions.setState('Suspended');
  await versions.put('null', '1', { days: 9 });
  await versions.put('null', '2', { days: 8 });
  await versions.setState('Enabled');
  await versions.mark('null', 0);
  await versions.rules(RULES);
}
