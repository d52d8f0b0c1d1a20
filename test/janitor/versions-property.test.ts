import { expect } from 'chai';
import fc from 'fast-check';
import { CrashPointBackend } from '../support/backend/crash-points.js';
import type { Backend } from '../../src/backend/backend.js';
import { CALL, DAY_MS } from './support.js';
import { gatewayOn, keyOf, listVersions, VersionsBench } from './versions-support.js';

/** An act on a key; `dies`: at that write, if there are so many. */
interface Act {
  readonly act: 'put' | 'mark' | 'delete' | 'suspend' | 'enable' | 'sweep';
  readonly key: string;
  readonly dies: number | undefined;
  /** Of the versions of the key, which one. */
  readonly which: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom(
    ...(['put', 'put', 'put', 'mark', 'delete', 'delete', 'suspend', 'enable', 'sweep'] as const),
  ),
  key: fc.constantFrom('a', 'b'),
  dies: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 2 }),
  which: fc.nat(4),
});

describe('janitor: sweeping any history of versions', () => {
  it('changes nothing that is listed or read, and leaves nothing', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 16 }), async (acts) => {
        const versions = await VersionsBench.open();
        try {
          for (const [at, one] of acts.entries()) await run(versions, one, String(at));
          for (let pass = 0; pass < 4; pass++) await sweep(versions);
          expect(await versions.pass()).to.deep.equal([]);
          const kept = (await versions.archived()).filter((name) => name.endsWith(' v'));
          const listed = await listVersions(versions.store);
          expect(kept).to.have.length(listed.filter(({ kind }) => kind === 'version').length);
        } finally {
          await versions.close();
        }
      }),
      { numRuns: Number(process.env.SWEEP_RUNS ?? 15) },
    );
  });
});

/** All is old by the janitor's clock. */
async function sweep(versions: VersionsBench): Promise<void> {
  const shown = await versions.show();
  versions.bench.clock.advance(DAY_MS);
  await versions.pass();
  expect(await versions.show()).to.deep.equal(shown);
  expect(versions.bench.unreadable).to.deep.equal([]);
}

async function run(versions: VersionsBench, { act, key, dies, which }: Act, text: string) {
  if (act === 'sweep') return sweep(versions);
  if (act === 'enable') return versions.setState('Enabled');
  if (act === 'suspend') return versions.setState('Suspended');
  const backend = new CrashPointBackend(versions.store, { at: dies, when: 'before' });
  await change(versions, backend, act, key, which, text).catch((error: unknown) => {
    if (!backend.crashed) throw error;
  });
}

async function change(
  versions: VersionsBench,
  backend: Backend,
  act: 'put' | 'mark' | 'delete',
  key: string,
  which: number,
  text: string,
): Promise<void> {
  const gateway = gatewayOn(backend);
  const nullVersion = versions.suspended;
  if (act === 'put') await versions.put(key, text, {}, backend);
  else if (act === 'mark') await gateway.createDeleteMarker(CALL, keyOf(key), { nullVersion });
  else {
    const { entries } = await gatewayOn(versions.store).readIndex(CALL, keyOf(key));
    const id = entries[which]?.id;
    if (id !== undefined) await gateway.deleteVersion(CALL, keyOf(key), id, () => undefined);
  }
}
