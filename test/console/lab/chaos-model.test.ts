import { expect } from 'chai';
import type { ClusterHealth } from '../../../console/surfaces/lab/chaos/fault.js';
import { catalogueOf, type CatalogueFacts } from '../../../console/surfaces/lab/chaos/catalogue.js';
import {
  History,
  type ProbeGet,
  type ProbeOutcome,
  type ProbePut,
} from '../../../console/surfaces/lab/chaos/history.js';
import { errorRate, livesOf, reasonToAbort } from '../../../console/surfaces/lab/chaos/rules.js';
import { scoreOf, summaryOf } from '../../../console/surfaces/lab/chaos/score.js';
import type { Operation } from '../../faults/history/operation.js';
import { checkEventual } from '../../faults/swift/check.js';

const put = (
  version: number,
  start: number,
  end: number,
  outcome: ProbeOutcome = 'ok',
): ProbePut => ({
  ...{ op: 'put', key: 'k', version, outcome },
  ...{ start_ms: start, end_ms: end, status: outcome === 'ok' ? 201 : 503 },
});
const get = (found: ProbeGet['found'], start: number, end: number): ProbeGet => ({
  ...{ op: 'get', key: 'k', found, outcome: 'ok' },
  ...{ start_ms: start, end_ms: end, status: found === 'nothing' ? 404 : 200 },
});

const judged = (puts: readonly ProbePut[], read: ProbeGet) => {
  const history = new History();
  for (const one of puts) {
    history.putBegins(one.key, one.version, one.start_ms);
    history.putEnded(one);
  }
  return history.judge(read);
};

describe('the history of probes', () => {
  const written = [
    put(1, 0, 10),
    put(2, 20, 30),
    put(3, 40, 50, 'unknown'),
    put(4, 60, 70, 'refused'),
  ];
  const cases: readonly (readonly [string, ProbeGet, ReturnType<typeof judged>])[] = [
    ['the newest that was acknowledged', get(2, 100, 110), 'ok'],
    ['one without an answer', get(3, 100, 110), 'ok'],
    ['an older one', get(1, 100, 110), 'stale'],
    ['an older one, while the newer was under way', get(1, 25, 28), 'ok'],
    ['nothing', get('nothing', 100, 110), 'lost'],
    ['nothing before the first', get('nothing', 5, 8), 'ok'],
    ['what was refused', get(4, 100, 110), 'wrong'],
    ['what was not yet sent', get(2, 11, 15), 'wrong'],
    ['what nobody wrote', get('foreign', 100, 110), 'wrong'],
    ['a write that there never was', get(9, 100, 110), 'wrong'],
  ];
  for (const [what, read, verdict] of cases) {
    it(`says ${verdict} of a read of ${what}`, () => {
      expect(judged(written, read)).to.equal(verdict);
    });
  }

  it('agrees with the checker of races about random histories', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let round = 0; round < 300; round++) {
      const puts: ProbePut[] = [];
      let at = 0;
      for (let version = 1; version <= 5; version++) {
        const start = at + 1 + random(5);
        at = start + 1 + random(5);
        const outcome = (['ok', 'ok', 'unknown', 'refused'] as const)[random(4)] ?? 'ok';
        puts.push(put(version, start, at, outcome));
      }
      const start = random(at + 10);
      const found = ([1, 2, 3, 4, 5, 'nothing', 'foreign'] as const)[random(7)] ?? 1;
      const read = get(found, start, start + 1 + random(6));
      const verdict = judged(puts, read);
      const problems = checkEventual([...puts.map(recorded), recorded(read)]);
      // Stale reads are allowed there, as Swift allows them.
      const isBad = verdict === 'wrong' || verdict === 'lost';
      expect(isBad, JSON.stringify({ puts, read, verdict, problems })).to.equal(
        problems.length > 0,
      );
    }
  });

  it('forgets what is long ago, and not that it was', () => {
    const history = new History();
    for (let version = 1; version <= 3000; version++) {
      history.putBegins('k', version, 10 * version);
      history.putEnded(put(version, 10 * version, 10 * version + 5));
    }
    expect(history.judge(get(1, 40_000, 40_010))).to.equal('stale');
    expect(history.judge(get('nothing', 40_000, 40_010))).to.equal('lost');
    expect(history.judge(get(3000, 40_000, 40_010))).to.equal('ok');
    expect(history.verdict).to.include({ reads: 3, stale: 1, lost: 1, wrong: 0 });
  });
});

/** A probe as the checker of races records it. */
function recorded(probe: ProbePut | ProbeGet): Operation {
  const { key, start_ms: start, end_ms: end } = probe;
  const base = { client: 'c', key, start, end };
  if (probe.op === 'put') {
    const why = { why: 'told' };
    const outcome = probe.outcome === 'ok' ? { result: 'ok' as const } : { result: probe.outcome, ...why }; // prettier-ignore
    return { ...base, op: 'put', body: String(probe.version), outcome };
  }
  const found =
    probe.found === 'nothing'
      ? ({ found: 'nothing' } as const)
      : ({ found: 'version', body: String(probe.found) } as const);
  return { ...base, op: 'get', outcome: { result: 'ok', ...found } };
}

describe('the score of a fault', () => {
  const whole = {
    ...{ success_ratio: 1, p95_base_ms: 20, p95_fault_ms: 20, repair_s: 10, repair_target_s: 60 },
    ...{ is_clean: true, wrong_reads: 0 },
  };
  const cases: readonly (readonly [string, Partial<typeof whole>, number])[] = [
    ['nothing that was noticed', {}, 100],
    ['half of the requests', { success_ratio: 0.5 }, 80],
    ['twice the time', { p95_fault_ms: 40 }, 90],
    ['no time to compare with', { p95_fault_ms: null as never }, 80],
    ['a repair of 1.5 targets', { repair_s: 90 }, 85],
    ['a repair of three targets', { repair_s: 180 }, 70],
    ['no repair', { repair_s: null as never }, 70],
    ['a dead-man', { is_clean: false }, 90],
    ['one wrong byte', { wrong_reads: 1 }, 0],
  ];
  for (const [what, given, total] of cases) {
    it(`is ${total} for ${what}`, () => {
      expect(scoreOf({ ...whole, ...given }).total).to.be.closeTo(total, 1e-9);
    });
  }

  it('takes times by nearest rank, of what succeeded', () => {
    const probes = Array.from({ length: 20 }, (_, at) => ({ end_ms: at, ms: at + 1, isOk: true }));
    const all = [...probes, { end_ms: 20, ms: 9999, isOk: false }];
    expect(summaryOf(all)).to.deep.equal({ n: 21, ok: 20, success_ratio: 20 / 21, p50_ms: 10, p95_ms: 19, max_ms: 20 }); // prettier-ignore
    expect(summaryOf([])).to.deep.equal({ n: 0, ok: 0, success_ratio: null, p50_ms: null, p95_ms: null, max_ms: null }); // prettier-ignore
  });
});

describe('what ends a fault by itself', () => {
  const well: ClusterHealth = { down: [], free_ratio: 0.5 };
  const seen = { errorRate: 0.05, wrongReads: 0, health: well };

  it('is more than 5 % failures, a wrong byte, another server, or a full disk', () => {
    expect(reasonToAbort(seen)).to.equal(undefined);
    expect(reasonToAbort({ ...seen, errorRate: 0.06 })?.reason).to.equal('error_rate');
    expect(reasonToAbort({ ...seen, wrongReads: 1 })?.reason).to.equal('wrong_read');
    expect(reasonToAbort({ ...seen, health: { ...well, free_ratio: 0.09 } })?.reason).to.equal('disk_full'); // prettier-ignore
    expect(reasonToAbort({ ...seen, health: { ...well, free_ratio: null } })).to.equal(undefined);
    const down = reasonToAbort({ ...seen, health: { ...well, down: ['node1/object-server'] } });
    expect([down?.reason, down?.because]).to.deep.equal(['node_unhealthy', 'No answer from node1/object-server.']); // prettier-ignore
  });

  it('counts the last ten seconds, and no less than ten probes', () => {
    const probe = (end_ms: number, isOk: boolean) => ({ end_ms, ms: 1, isOk });
    const old = Array.from({ length: 50 }, (_, at) => probe(at, false));
    const few = Array.from({ length: 9 }, (_, at) => probe(20_000 + at, false));
    expect(errorRate([...old, ...few], 21_000)).to.equal(null);
    const enough = [...old, ...few, probe(20_100, true)];
    expect(errorRate(enough, 21_000)).to.equal(0.9);
    expect([livesOf(null, 0), livesOf(0, 0), livesOf(0.02, 0), livesOf(0.04, 0), livesOf(0.05, 0), livesOf(0, 1)]).to.deep.equal([3, 3, 2, 1, 0, 0]); // prettier-ignore
  });
});

describe('the catalogue of faults', () => {
  const all: CatalogueFacts = {
    ...{ has_mutations: true, driver: 'local-procs', has_roster: true, has_rings: true },
    services: [
      { node: 'node1', service: 'object-server' },
      { node: 'node1', service: 'memcached' },
      { node: 'node1', service: 'proxy-server' },
    ],
    ...{ pauses: true, has_local_devices: true, has_quotas: true, replicas: 3, proxy_workers: 2 },
  };
  const needsOf = (facts: Partial<CatalogueFacts>) =>
    Object.fromEntries(catalogueOf({ ...all, ...facts }).map(({ id, needs }) => [id, needs]));

  it('offers what can be tried, and says of the rest what it needs', () => {
    const here = needsOf({});
    const offered = Object.keys(here).filter((id) => here[id] === null);
    expect(offered).to.deep.equal(['stop_service', 'pause_node', 'drop_memcached', 'kill_worker', 'corrupt_replica', 'remove_replica', 'fill_quota']); // prettier-ignore
    expect(here.slow_disk).to.include('cgroup v2');
    expect(Object.values(needsOf({ has_mutations: false })).every((needs) => needs?.includes('lab_mutations'))).to.equal(true); // prettier-ignore
    expect(needsOf({ driver: 'none', services: [] }).stop_service).to.equal('node_driver');
    expect(needsOf({ has_local_devices: false }).corrupt_replica).to.include('node_root');
    expect(needsOf({ proxy_workers: 1 }).kill_worker).to.include('two workers');
    expect(needsOf({ has_quotas: false }).fill_quota).to.include('container_quotas');
  });

  it('never stops the only memcached but on a lab', () => {
    const { drop_memcached: needs } = needsOf({ driver: 'ssh' });
    expect(needs).to.include('the only one');
    const item = catalogueOf(all).find(({ id }) => id === 'drop_memcached');
    expect(item?.targets).to.deep.equal([{ id: 'node1/memcached', label: 'memcached on node1' }]);
  });
});
