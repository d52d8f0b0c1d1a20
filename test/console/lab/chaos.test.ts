import { expect } from 'chai';
import type { ActiveFault } from '../../../console/surfaces/lab/chaos/fault.js';
import type { FaultGround } from '../../../console/surfaces/lab/chaos/ground.js';
import { ServiceFault } from '../../../console/surfaces/lab/chaos/service-fault.js';
import { ChaosRun } from '../../../console/surfaces/lab/chaos/chaos-run.js';
import type { ChaosParams, ChaosView } from '../../../console/surfaces/lab/chaos/chaos-view.js';
import { bodyOf, Prober, type ProbeStore } from '../../../console/surfaces/lab/chaos/prober.js';

/** A store that a test changes. */
class FakeStore implements ProbeStore {
  readonly bodies = new Map<string, Buffer>();
  putStatus: number | null = 201;
  wrongs = 0;
  /** Answers wait for it. */
  gate = Promise.resolve();

  put = async (key: string, body: Buffer) => {
    await this.gate;
    if (this.putStatus === 201) this.bodies.set(key, body);
    return this.putStatus;
  };
  get = async (key: string) => {
    await this.gate;
    const body = this.bodies.get(key) ?? null;
    if (this.wrongs > 0 && body !== null) {
      this.wrongs -= 1;
      const changed = Buffer.from(body);
      changed[700] = 0;
      return { status: 200, body: changed };
    }
    return { status: body === null ? 404 : 200, body };
  };
}

const PARAMS: ChaosParams = {
  ...{ fault: 'stop_service', target: 'node1/object-server', mode: '', container: 'lab-chaos-x' },
  ...{ hold_s: 1, ttl_s: 10, steady_s: 0.4, repair_s: 5, repair_target_s: 60 },
};

/** A fault that is only in the mind. */
class FakeFault implements ActiveFault {
  readonly calls: string[] = [];
  isReady = true;
  isStopped = false;
  repairsAfter = 2;
  onInject: () => void = () => undefined;

  prepare = () =>
    this.#did('prepare', [{ id: 'x', is_ok: this.isReady, text: 'It is not ready.' }]);
  inject = () => {
    this.onInject();
    return this.#did('inject', undefined);
  };
  observe = () => Promise.resolve({ figures: [{ id: 'n', label: 'N', value: 1 }] });
  revert = () => this.#did('revert', true);
  repair = () => {
    const done = this.calls.filter((call) => call === 'repair').length + 1 >= this.repairsAfter;
    return this.#did('repair', { is_repaired: done, text: done ? 'All is well.' : 'Not yet.' });
  };
  clean = () => this.#did('clean', undefined);
  stop = () => {
    this.isStopped = true;
    return Promise.resolve();
  };

  #did<T>(call: string, answer: T): Promise<T> {
    this.calls.push(call);
    return Promise.resolve(answer);
  }
}

describe('a run of a fault', () => {
  const begin = (
    params: Partial<ChaosParams> = {},
    onView: (view: ChaosView) => void = () => undefined,
  ) => {
    const store = new FakeStore();
    const fault = new FakeFault();
    const health: { down: string[]; free_ratio: number | null } = { down: [], free_ratio: 0.9 };
    const elapsedMs = (() => {
      const begunMs = performance.now();
      // Three times as fast as the clock on the wall.
      return () => 3 * (performance.now() - begunMs);
    })();
    const prober = new Prober('run', store, elapsedMs);
    const views: ChaosView[] = [];
    const run = new ChaosRun({
      params: { ...PARAMS, ...params },
      ...{ fault, prober, elapsedMs, now: () => 1_000_000, tickMs: 20 },
      health: () => Promise.resolve(health),
      onChange: (view) => {
        views.push(view);
        onView(view);
      },
    });
    return { store, fault, health, run, views, never: new AbortController() };
  };

  it('checks, waits, breaks, watches, takes back, sees the repair and scores', async () => {
    const { fault, run, views, never } = begin();
    const view = await run.run(never.signal);
    expect(view.phases.map(({ phase }) => phase)).to.deep.equal(['preflight', 'steady', 'inject', 'observe', 'revert', 'repair', 'over']); // prettier-ignore
    expect(fault.calls).to.deep.equal(['prepare', 'inject', 'revert', 'repair', 'repair', 'clean']);
    expect(view.probes?.history.wrong).to.equal(0);
    expect(view.probes?.puts_acknowledged).to.be.greaterThan(8);
    expect([view.abort, view.repair?.is_repaired, view.deadline_unix_s]).to.deep.equal([null, true, null]); // prettier-ignore
    expect(view.score?.total).to.be.within(80, 100);
    expect(views.find(({ phase }) => phase === 'observe')?.deadline_unix_s).to.equal(1010);
  });

  it('breaks nothing when the preflight does not hold', async () => {
    const { fault, health, run, never } = begin();
    health.down.push('node2/object-server');
    expect(await codeOfFailure(run.run(never.signal))).to.equal('precondition_failed');
    expect(fault.calls).to.deep.equal(['clean']);
    const other = begin();
    other.fault.isReady = false;
    expect(await codeOfFailure(other.run.run(never.signal))).to.equal('precondition_failed');
    expect(other.fault.calls).to.deep.equal(['prepare', 'clean']);
  });

  it('breaks nothing where the cluster is not steady, and says which probe', async () => {
    const { store, fault, run, never } = begin();
    store.putStatus = 503;
    const error = await run.run(never.signal).catch((failure: unknown) => failure as Error);
    expect(error).to.have.property('code', 'steady_state_failed');
    expect((error as Error).message).to.match(
      /PUT probe-\d returned 503|GET probe-\d returned 404/,
    );
    expect(fault.calls).to.deep.equal(['prepare', 'clean']);
  });

  it('ends at the first wrong byte, without a point', async () => {
    const { store, fault, run, never } = begin({ hold_s: 500, ttl_s: 900 });
    fault.onInject = () => (store.wrongs = 1);
    const view = await run.run(never.signal);
    expect([view.abort, view.lives, view.score?.total]).to.deep.equal(['wrong_read', 0, 0]);
    expect(view.score?.forfeit).to.include('Wrong data');
    expect(fault.calls).to.include('revert');
  });

  it('ends when too many probes fail, or another server is away', async () => {
    const { store, fault, run, never } = begin({ hold_s: 500, ttl_s: 900, steady_s: 5 });
    fault.onInject = () => (store.putStatus = 503);
    const view = await run.run(never.signal);
    expect([view.abort, view.lives]).to.deep.equal(['error_rate', 0]);
    const other = begin({ hold_s: 500, ttl_s: 900 });
    other.fault.onInject = () => other.health.down.push('node2/object-server');
    expect((await other.run.run(never.signal)).abort).to.equal('node_unhealthy');
  });

  it('ends when an operator says so, and watches the repair all the same', async () => {
    const { fault, run, never } = begin({ hold_s: 500, ttl_s: 900 });
    fault.onInject = () => {
      run.abort('operator');
    };
    const view = await run.run(never.signal);
    expect([view.abort, view.repair?.is_repaired]).to.deep.equal(['operator', true]);
    expect(fault.calls.at(-1)).to.equal('clean');
  });

  it('has no score when no request was answered while it was held', async () => {
    let open = () => undefined as unknown;
    const { store, fault, run, never } = begin({ hold_s: 500, ttl_s: 900 }, ({ phase }) => {
      if (phase === 'revert') open();
    });
    fault.onInject = () => {
      store.gate = new Promise((resolve) => (open = () => { resolve(); })); // prettier-ignore
      run.abort('operator');
    };
    const view = await run.run(never.signal);
    expect([view.held?.n, view.score]).to.deep.equal([0, null]);
    expect(view.timeline.at(-1)?.text).to.match(
      /^Not scored: no probes ran before or during the fault/,
    );
  });

  it('is taken back by others when the console ends', async () => {
    const { fault, run, never } = begin({ hold_s: 500, ttl_s: 900 });
    fault.onInject = () => {
      never.abort();
    };
    await run.run(never.signal).catch(() => undefined);
    expect(fault.calls).to.deep.equal(['prepare', 'inject']);
    expect(fault.isStopped).to.equal(true);
  });
});

describe('a slow server', () => {
  it('goes on when its fault ends, also behind a dead-man that was there first', async () => {
    const verbs: string[] = [];
    const act = (_node: unknown, _service: string, verb: string) => {
      verbs.push(verb);
      return Promise.resolve({ changed: true });
    };
    const control = {
      arm: () => Promise.resolve(),
      act: (_step: string, work: () => Promise<void>) => work(),
      held: () => Promise.resolve(),
      revert: () => Promise.resolve({ by: 'dead_man', reverted_unix_s: 1, outcomes: [] }),
    };
    const clusterNodes = [{ name: 'n1', storage_ip: '10.0.0.1', devices: [], services: {} }];
    const ground = { control, driver: { act }, options: { clusterNodes }, ttlS: 60 };
    const given = ground as unknown as FaultGround;
    const fault = new ServiceFault('pause_node', 'n1/object-server', 'slow', given);
    await fault.inject();
    expect(verbs).to.deep.equal(['pause']);
    expect(await fault.revert()).to.equal(false);
    expect(verbs).to.deep.equal(['pause', 'resume']);
  });
});

describe('a probe', () => {
  it('knows its bytes from others, to the last one', async () => {
    const store = new FakeStore();
    const prober = new Prober('r1', store, () => performance.now());
    await prober.begin();
    await prober.finish();
    store.bodies.set('probe-0', bodyOf('r1', 'probe-1', 1));
    store.bodies.set('probe-1', bodyOf('r2', 'probe-1', 1));
    store.bodies.set('probe-2', bodyOf('r1', 'probe-2', 1).subarray(0, 500));
    store.bodies.delete('probe-3');
    const problems = await prober.lastLook();
    expect(problems.slice(0, 4)).to.deep.equal([
      'probe-0 has bytes that nobody wrote.',
      'probe-1 has bytes that nobody wrote.',
      'probe-2 has bytes that nobody wrote.',
      'probe-3 should be write 1, and is not there.',
    ]);
    expect(prober.wrongReads).to.equal(3);
  });

  it('misses no object that nobody acknowledged', async () => {
    const store = new FakeStore();
    expect(await new Prober('r1', store, () => 0).lastLook()).to.deep.equal([]);
  });
});

async function codeOfFailure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error);
  }
}
