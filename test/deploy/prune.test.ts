import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { etagOf } from '../../src/deploy/spec/canonical.js';
import { Blobs } from '../../src/deploy/state/blobs.js';
import { layout } from '../../src/deploy/state/layout.js';
import { pruneState, RUNS_KEPT } from '../../src/deploy/state/prune.js';
import { useTempFolder } from '../support/temp-folder.js';
import { otherWorkers, small, TestDeploy } from './service-support.js';
import { exampleSpec } from './support.js';

const NOW_S = 1_800_000_000;
const KEEP_S = 30 * 86_400;
const PLANS = 2000;
const AGE = { nowS: NOW_S, keepS: KEEP_S };

const hex = (n: number, length: number) => n.toString(16).padStart(length, '0');

describe('deploy: the state is pruned', function () {
  this.timeout(60_000);
  const folder = useTempFolder('deploy-prune');
  let deploy: TestDeploy | undefined;

  afterEach(async () => {
    await deploy?.close();
    deploy = undefined;
  });

  /** A file that was written so many days ago. */
  async function put(file: string, content: unknown, days: number): Promise<void> {
    await writeFile(file, JSON.stringify(content));
    const at = NOW_S - days * 86_400;
    await utimes(file, at, at);
  }

  it('keeps what the history needs and what is young, of thousands of plans', async () => {
    const places = layout(folder());
    for (const name of ['specs', 'plans', 'runs', 'ramps', 'blobs'] as const) {
      await mkdir(places[name]);
    }
    const blob = (n: number) => join(places.blobs, hex(n % 256, 2), hex(n, 64));
    for (let n = 0; n < 256; n++) await mkdir(join(places.blobs, hex(n, 2)));
    // The last ten plans are young, and those of the last runs are needed; all else is old.
    for (let n = 0; n < PLANS; n++) {
      const days = n < PLANS - 10 ? 100 : 1;
      const id = hex(n, 24);
      const spec_etag = `sha256-${hex(n, 64)}`;
      const files = { node: { path: { sha256: hex(n, 64) } } };
      await put(join(places.plans, `${id}.json`), { spec_etag }, days);
      await put(join(places.plans, `${id}.next.json`), { next: { builders: {}, files } }, days);
      await put(join(places.specs, `${spec_etag}.json`), {}, days);
      await put(blob(n), n, days);
      if (n % 10 === 0) {
        const run = { plan_id: id, spec_etag, ended_unix_s: 1 };
        await put(join(places.runs, `run-${hex(n, 24)}.json`), run, days);
      }
    }
    const spec = exampleSpec();
    const applied = { spec, builders: { object: hex(3, 64) }, files: {} };
    await put(places.applied, { applied }, 100);
    await put(join(places.specs, `${etagOf(spec)}.json`), {}, 100);
    await put(places.spec, { spec: {}, etag: `sha256-${hex(5, 64)}` }, 100);

    const kept = Array.from({ length: PLANS }, (_, n) => n).filter(
      (n) => n >= PLANS - 10 || (n % 10 === 0 && n >= PLANS - 10 * RUNS_KEPT),
    );
    const gone = PLANS - kept.length;
    expect(pruneState(places, AGE)).to.deep.equal({
      ...{ runs: PLANS / 10 - RUNS_KEPT, ramps: 0, plans: 2 * gone },
      // That in force and the one that is worked on stay, too, and a builder in force.
      ...{ specs: gone - 1, blobs: gone - 1 },
    });
    expect(pruneState(places, AGE)).to.include({ runs: 0, plans: 0, specs: 0, blobs: 0 });
    const names = (await readdir(places.plans)).filter((name) => !name.includes('next'));
    expect(names.sort()).to.deep.equal(kept.map((n) => `${hex(n, 24)}.json`));
    for (const n of [...kept, 3]) await readFile(blob(n));
    for (const n of [...kept, 5]) {
      await readFile(join(places.specs, `sha256-${hex(n, 64)}.json`));
    }
  });

  it('makes a content young again that a plan takes up', async () => {
    const places = layout(folder());
    const blobs = new Blobs(places.blobs);
    const hash = hex(1, 64);
    blobs.putSync(hash, Buffer.from('x'));
    const file = join(places.blobs, hash.slice(0, 2), hash);
    await utimes(file, 1, 1);
    blobs.putSync(hash, Buffer.from('x'));
    for (const name of ['specs', 'plans', 'runs', 'ramps'] as const) await mkdir(places[name]);
    const nowS = Math.floor(Date.now() / 1000);
    expect(pruneState(places, { nowS, keepS: KEEP_S })).to.include({ blobs: 0 });
    await utimes(file, 1, 1);
    expect(pruneState(places, { nowS, keepS: KEEP_S })).to.include({ blobs: 1 });
  });

  it('goes back to an entry of the history, and reads no older journal at a start', async () => {
    deploy = await TestDeploy.start(folder());
    const etag = (await deploy.putSpec(small)).json.etag;
    await deploy.deploy('first');
    await deploy.putSpec(otherWorkers);
    await deploy.deploy('second');
    await deploy.close();
    const places = layout(join(folder(), 'state'));
    const far = { nowS: NOW_S + 10 * KEEP_S, keepS: KEEP_S };
    expect(pruneState(places, far)).to.include({ runs: 0, plans: 0, specs: 0, blobs: 0 });
    const [run = ''] = await readdir(places.runs);
    const content = await readFile(join(places.runs, run), 'utf8');
    // Those before the latest are not even read: the oldest cannot be.
    await writeFile(join(places.runs, `run-${hex(0, 24)}.json`), 'damaged');
    for (let n = 1; n <= RUNS_KEPT; n++) {
      const id = `run-${hex(n, 24)}`;
      await writeFile(join(places.runs, `${id}.json`), content.replace(run.slice(0, -5), id));
    }
    deploy = await TestDeploy.start(folder());
    const plan = await deploy.call('POST', '/v1/plans', { body: { spec_etag: etag } });
    expect(plan.status, plan.text).to.equal(201);
  });
});
