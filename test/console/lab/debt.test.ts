import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeState } from '../../../console/recon/node-probe.js';
import type { DebtSnapshot } from '../../../console/surfaces/lab/debt/debt-watch.js';
import {
  debtOf,
  PRIOR_RATES,
  type ComponentId,
  type DebtInput,
} from '../../../console/surfaces/lab/debt/model.js';
import { RateMeter } from '../../../console/surfaces/lab/debt/rates.js';
import * as facts from '../../../console/recon/node-facts.js';
import { insolvencyOf, interestOf } from '../../../console/surfaces/lab/debt/trend.js';
import { LAB } from '../../../console/surfaces/lab/surface.js';
import { ConsoleMetrics } from '../../../src/telemetry/console-metrics.js';
import { useOnce } from '../../support/fixture.js';
import { expectRefused } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { startReconCluster } from './support.js';

const NOW_S = 1_800_000_000;
const WEEK_S = 604_800;

const node = (given: Partial<NodeState> = {}): NodeState => ({
  name: 'a',
  online: true,
  services: [{ name: 'object', up: true }],
  replication: [],
  ...given,
});

function debt(nodes: readonly NodeState[], given: Partial<DebtInput> = {}) {
  return debtOf({
    nowS: NOW_S,
    nodes,
    devices: [],
    rates: PRIOR_RATES,
    reclaimAgeS: WEEK_S,
    ...given,
  });
}

const component = (made: ReturnType<typeof debt>, id: ComponentId) =>
  made.components.find((one) => one.id === id)!;

describe('rates of repair', () => {
  const pending = (count: number, lastUnixS: number, updaterSweepS?: number) =>
    node({ async: { count, lastUnixS }, updaterSweepS });

  it('of updates are what became fewer, over the sweep that did it', () => {
    const meter = new RateMeter();
    const rates = () => meter.rates(NOW_S);
    meter.note([pending(900, NOW_S - 600, 30)], NOW_S);
    expect(rates()).to.deep.equal(PRIOR_RATES);
    // The same count again, a few that may be anything, more than before, and no sweep known.
    meter.note([pending(900, NOW_S - 600, 30)], NOW_S);
    meter.note([pending(895, NOW_S - 500, 30)], NOW_S);
    meter.note([pending(990, NOW_S - 400, 30)], NOW_S);
    meter.note([pending(900, NOW_S - 350)], NOW_S);
    expect(rates()).to.deep.equal(PRIOR_RATES);
    meter.note([pending(300, NOW_S - 300, 30)], NOW_S);
    expect(rates()).to.deep.include({ updatesPerS: 20, updatesSource: 'measured' });
    expect(rates().bytesSource).to.equal('prior');
    const made = debt([pending(100, NOW_S, 30)], { rates: rates() });
    const { debt_s: seconds, rate_source: source } = component(made, 'async');
    expect([seconds, source]).to.deep.equal([5, 'measured']);
    expect(meter.rates(NOW_S + 2 * 86_400)).to.deep.equal(PRIOR_RATES);
  });

  it('of bytes are what a pass pushed, of a pass that pushed much', () => {
    const answer = (sync: number) => ({
      object_replication_time: 2,
      object_replication_last: NOW_S - 10,
      replication_stats: { suffix_count: 1000, suffix_sync: sync },
    });
    const pass = (sync: number, lastUnixS: number) => {
      const found = { ...facts.replication('object', answer(sync)), lastUnixS };
      const disks = [{ device: 'd1', mounted: true, size_bytes: 10e12, used_bytes: 1.2e12 }];
      return node({ disks, replication: [{ type: 'object', ...found }] });
    };
    const meter = new RateMeter();
    meter.note([pass(10, NOW_S - 30)], NOW_S);
    expect(meter.rates(NOW_S)).to.deep.equal(PRIOR_RATES);
    meter.note([pass(100, NOW_S - 20), { ...pass(300, NOW_S - 20), name: 'b' }], NOW_S);
    // A tenth and three tenths of 1.2 TB in two minutes.
    expect(meter.rates(NOW_S)).to.deep.include({ bytesPerS: 2e9, bytesSource: 'measured' });
    for (const odd of [null, {}, { replication_stats: { suffix_count: 0, suffix_sync: 1 } }]) {
      expect(facts.replication('object', odd)).to.have.property('pushedShare', undefined);
    }
  });
});

describe('the repair debt', () => {
  it('is unknown, and never 0, of a node that says nothing', () => {
    const made = debt([node()]);
    expect(made.debt_s).to.equal(null);
    expect([made.index, made.grade]).to.deep.equal([null, null]);
    for (const one of made.components) {
      expect([one.state, one.debt_s, one.count], one.id).to.deep.equal(['unknown', null, null]);
    }
  });

  it('is the work that waits, over the rate of doing it', () => {
    const made = debt([
      node({
        async: { count: 500, lastUnixS: NOW_S - 60 },
        quarantined: new Map([['objects', 50]]),
      }),
    ]);
    const { updatesPerS, bytesPerS, objectBytes } = PRIOR_RATES;
    expect(component(made, 'async')).to.deep.include({
      debt_s: 500 / updatesPerS,
      state: 'known',
      age_s: 60,
    });
    expect(component(made, 'quarantine').debt_s).to.equal((50 * objectBytes) / bytesPerS);
    expect(made.debt_s).to.equal(500 / updatesPerS + (50 * objectBytes) / bytesPerS);
    expect(made.grade).to.equal('A');
  });

  it('counts the devices of a node whose object server is away as missing', () => {
    const devices = [{ node: 'a', device: 'd1', parts: 100, wantedParts: 100 }];
    const disks = [{ device: 'd1', mounted: true, size_bytes: 1000e9, used_bytes: 100e9 }];
    const served = (up: boolean) =>
      node({ disks, services: [{ name: 'container', up: true }, { name: 'object', up }] }); // prettier-ignore
    expect(component(debt([served(true)], { devices }), 'missing').count).to.equal(0);
    expect(component(debt([served(false)], { devices }), 'missing').count).to.equal(100e9);
  });

  it('is at least so much where some nodes say nothing, and stale where figures are old', () => {
    const told = node({ async: { count: 500, lastUnixS: NOW_S - 1000 } });
    expect(component(debt([told]), 'async').state).to.equal('stale');
    const fresh = node({ async: { count: 500, lastUnixS: NOW_S } });
    const both = component(debt([fresh, node({ name: 'b' })]), 'async');
    expect([both.state, both.debt_s]).to.deep.equal(['partial', 10]);
    expect(both.by_node[1]).to.deep.equal({ node: 'b', debt_s: null, count: null });
  });

  it('counts what lies on disks that are away, and on nodes that do not answer', () => {
    // As recon has them: no size without a mount, and no truth value of a disk that fails.
    const disk = (device: string, mounted: boolean | null) => ({
      device,
      mounted,
      size_bytes: mounted === true ? 1000e9 : null,
      used_bytes: mounted === true ? 100e9 : null,
    });
    const devices = ['d1', 'd2'].map((device) => ({
      node: 'a',
      device,
      parts: 100,
      wantedParts: 100,
    }));
    const whole = debt([node({ disks: [disk('d1', true), disk('d2', true)] })], { devices });
    expect(component(whole, 'missing').debt_s).to.equal(0);
    const one = debt([node({ disks: [disk('d1', true), disk('d2', false)] })], { devices });
    expect(component(one, 'missing').debt_s).to.equal(100e9 / PRIOR_RATES.bytesPerS);
    const failed = debt([node({ disks: [disk('d1', true), disk('d2', null)] })], { devices });
    expect(component(failed, 'missing').debt_s).to.equal(100e9 / PRIOR_RATES.bytesPerS);
    const alone = { node: 'b', device: 'd3', parts: 100, wantedParts: 100 };
    const healthy = node({ disks: [disk('d1', true), disk('d2', true)] });
    const other = (given: Partial<NodeState>) =>
      component(
        debt([healthy, node({ name: 'b', ...given })], { devices: [...devices, alone] }),
        'missing',
      );
    expect(other({ disks: [disk('d3', false)] }).debt_s).to.equal(100e9 / PRIOR_RATES.bytesPerS);
    // One that is held down: its host refuses, and tells nothing of its disks.
    expect(other({ services: [{ name: 'object', up: false }] }).debt_s).to.equal(100e9 / PRIOR_RATES.bytesPerS); // prettier-ignore
    expect(other({ disks: [disk('d3', null)], areFolders: true }).debt_s).to.equal(0);
    // A node that answers, and does not tell of its disks.
    expect(other({})).to.deep.include({ state: 'partial', debt_s: 0 });
    expect(other({}).by_node[1]).to.deep.equal({ node: 'b', debt_s: null, count: null });
    const folders = debt([node({ disks: [disk('d1', false), disk('d2', false)] })], { devices });
    expect(component(folders, 'missing').state).to.equal('unknown');
    const away = debt(
      [
        node({ disks: [disk('d1', true), disk('d2', true)] }),
        node({ name: 'b', online: false, services: [{ name: 'object', up: false }] }),
      ],
      { devices: [...devices, { node: 'b', device: 'd3', parts: 100, wantedParts: 100 }] },
    );
    expect(component(away, 'missing').debt_s).to.equal(100e9 / PRIOR_RATES.bytesPerS);
    expect(away.unhealthy_ratio).to.equal(0.5);
    const sum = away.components.reduce((all, { debt_s: own }) => all + (own ?? 0), 0);
    expect(away.debt_s).to.equal(2 * sum);
  });

  it('counts parts beyond the share, bytes beyond 80 %, and passes that are late', () => {
    const disks = [{ device: 'd1', mounted: true, size_bytes: 1000e9, used_bytes: 900e9 }];
    const devices = [{ node: 'a', device: 'd1', parts: 90, wantedParts: 79.5 }];
    const replication = [
      { type: 'object' as const, passS: 600, lastUnixS: NOW_S - 5000 },
      { type: 'account' as const, passS: 1, lastUnixS: NOW_S - 10 },
    ];
    const made = debt([node({ disks, replication })], { devices });
    expect(component(made, 'imbalance').count).to.equal(10 * 10e9);
    expect(component(made, 'disk').count).to.equal(100e9);
    expect(component(made, 'lag').debt_s).to.equal(5000 - 2 * 600);
  });
});

describe('the trend of the repair debt', () => {
  const samples = (count: number, of: (at: number) => number) =>
    Array.from({ length: count }, (_, at) => ({
      unix_s: NOW_S - 60 * (count - at),
      debt_s: of(at),
    }));

  it('is unknown below ten samples, and of those of the last hour alone', () => {
    expect(
      interestOf(
        samples(9, (at) => at),
        NOW_S,
      ),
    ).to.equal(null);
    expect(
      interestOf(
        samples(10, (at) => at),
        NOW_S,
      ),
    ).to.be.closeTo(60, 1e-9);
    const old = samples(40, (at) => at).map((one) => ({ ...one, unix_s: one.unix_s - 7200 }));
    expect(interestOf(old, NOW_S)).to.equal(null);
  });

  it('is not bent by an odd sample', () => {
    const odd = samples(30, (at) => (at === 17 ? 1e6 : 2 * at));
    expect(interestOf(odd, NOW_S)).to.be.closeTo(120, 1e-9);
  });

  it('ends at reclaim_age: by its slope, or by a node whose replicators stand still', () => {
    const course = { debtS: WEEK_S / 2, interestSPerH: 3600, lagsS: [], reclaimAgeS: WEEK_S };
    expect(insolvencyOf(course)).to.equal(WEEK_S / 2);
    expect(insolvencyOf({ ...course, interestSPerH: -1 })).to.equal(null);
    expect(insolvencyOf({ ...course, interestSPerH: 0 })).to.equal(null);
    expect(insolvencyOf({ ...course, interestSPerH: null })).to.equal(null);
    expect(insolvencyOf({ ...course, debtS: WEEK_S + 1 })).to.equal(0);
    expect(insolvencyOf({ ...course, lagsS: [0, WEEK_S - 100] })).to.equal(100);
    expect(insolvencyOf({ ...course, interestSPerH: null, lagsS: [2 * WEEK_S] })).to.equal(0);
  });
});

describe('the Repair Debt Index of a cluster', () => {
  const cluster = useOnce(startReconCluster, 'close');
  const bed = useOnce(() => startTestBed({ lab_enabled: true, ...cluster().config }), 'close');

  /** The state of the cluster some minutes later. */
  async function snapshot(changes: Readonly<Record<string, unknown>> = {}): Promise<DebtSnapshot> {
    bed().clock.nowMs += 60_000;
    Object.assign(cluster().answers, { time: bed().clock.nowMs / 1000, ...changes });
    const answer = await (await bed().login()).get('/lab/api/debt/snapshot');
    expect(answer.status, answer.text).to.equal(200);
    return answer.json();
  }

  const pending = ({ components }: DebtSnapshot) => components.find(({ id }) => id === 'async')!;

  it('rises and falls with what waits, says when it is old, and exports what is known', async () => {
    expect((await snapshot()).reclaim_age_s).to.equal(WEEK_S);
    const conf = join(String(cluster().config.store_dir), 'object-server.conf');
    await writeFile(conf, '[object-replicator]\nreclaim_age = 86400\n');
    const none = await snapshot();
    expect(none.reclaim_age_s).to.equal(86_400);
    await rm(conf);
    expect(pending(none).state).to.equal('unknown');
    const nowS = () => bed().clock.nowMs / 1000;
    const more = await snapshot({
      async: { async_pending: 5000, async_pending_last: nowS() + 60 },
    });
    expect([pending(more).state, pending(more).debt_s]).to.deep.equal(['known', 100]);
    expect(more.drivers).to.deep.equal([
      'Container updates are pending. Check that the object-updater is running.',
    ]);
    const lab = bed().console.service(LAB);
    const metrics = new ConsoleMetrics({
      requestsInProgress: () => 0,
      sessions: () => 0,
      repairDebt: () => lab?.debt.recent,
    });
    const text = await metrics.registry.metrics();
    expect(text).to.include('\nringway_repair_debt_seconds 100\n');
    expect(text).to.include('ringway_repair_debt_component_seconds{component="async"} 100\n');
    expect(text).not.to.include('component="disk"');
    expect(text).not.to.match(/^ringway_repair_debt_growth_ratio/m);
    const less = await snapshot({ async: { async_pending: 0, async_pending_last: nowS() + 60 } });
    expect([pending(less).state, pending(less).debt_s]).to.deep.equal(['known', 0]);
    bed().clock.nowMs += 1_000_000;
    expect(lab?.debt.recent).to.equal(undefined);
    expect(await metrics.registry.metrics()).not.to.match(/^ringway_repair_debt_seconds/m);
    expect(pending(await snapshot()).state).to.equal('stale');
    for (let look = 0; look < 8; look++) {
      const count = 5000 + 500 * look;
      await snapshot({ async: { async_pending: count, async_pending_last: nowS() + 60 } });
    }
    const grown = await snapshot();
    expect(grown.history.length).to.be.greaterThan(10);
    expect(grown.interest_s_per_h).to.be.greaterThan(0);
    expect(grown.tti_s).to.be.greaterThan(0);
  });

  it('says what it needs where no nodes are known', async () => {
    await using bare = await startTestBed({ lab_enabled: true });
    const answer = await (await bare.login()).get('/lab/api/debt/snapshot');
    await expectRefused(answer, 501, 'unsupported_here');
    expect(answer.text).to.include('cluster_nodes, store_dir');
  });
});
