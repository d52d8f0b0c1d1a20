import { expect } from 'chai';
import {
  EndpointHealth,
  type HealthOptions,
} from '../../../src/backend/swift/net/endpoint-health.js';
import { EndpointWatch } from '../../../src/backend/swift/net/endpoint-watch.js';
import type { Endpoint } from '../../../src/backend/swift/net/endpoint.js';
import { AttemptError } from '../../../src/backend/swift/net/retry-policy.js';
import { RunningAttempt, RunningAttempts } from '../../../src/backend/swift/net/running-attempt.js';
import { until } from '../../support/until.js';
import { CONTEXT } from './support/open-fake.js';

const HEALTH = { ejectAfter: 3, ejectMs: 1000, ejectMsMax: 4000 };

/** Two endpoints that are no servers, a clock that is set, and probes that the test ends. */
describe('EndpointWatch', () => {
  let now: number;
  let endpoints: readonly [Endpoint, Endpoint];
  let probes: { readonly endpoint: Endpoint; end(error?: Error): Promise<void> }[];
  let told: string[];
  let watch: EndpointWatch<Endpoint>;

  beforeEach(() => {
    open(HEALTH);
  });

  function open(health: HealthOptions): void {
    now = 0;
    probes = [];
    told = [];
    endpoints = [endpoint('one', health), endpoint('two', health)];
    watch = new EndpointWatch({
      endpoints,
      probe: (asked) =>
        new Promise((resolve, reject) => {
          const end = async (error?: Error): Promise<void> => {
            if (error === undefined) resolve();
            else reject(error);
            await new Promise(setImmediate);
          };
          probes.push({ endpoint: asked, end });
        }),
      restored: () => undefined,
      options: {
        probeMs: 5000,
        onEndpoint: (name, well, reason) => told.push(`${name} ${well ? 'in' : 'out'}: ${reason}`),
      },
      now: () => now,
    });
    for (const { running } of endpoints) running.heard(0);
  }

  afterEach(() => {
    watch.close();
  });

  function endpoint(name: string, options: HealthOptions): Endpoint {
    const health = new EndpointHealth(options);
    return { name, health, running: new RunningAttempts(), inFlight: 0 } as unknown as Endpoint;
  }

  function begin(at: Endpoint, repeatable: boolean): RunningAttempt {
    const outgoing = {
      context: CONTEXT,
      method: 'PUT',
      path: '/',
      headers: ['x-gateway-not-newer', '1.00000'],
      repeatable,
    } as const;
    const attempt = new RunningAttempt({ ...outgoing, signed: false });
    at.running.begin(attempt, now);
    return attempt;
  }

  const late = (): AttemptError =>
    new AttemptError('unanswered', 'timeout', 'x', new Error('late'));

  it('asks one that is idle, and no other', () => {
    now = 4000;
    endpoints[1].running.heard(now);
    now = 5001;
    watch.tick();
    watch.tick();
    expect(probes.map(({ endpoint: { name } }) => name)).to.deep.equal(['one']);
  });

  it('asks at once one that stands still, and takes back what may be sent elsewhere', async () => {
    now = 1000;
    const [movable, fixed] = [begin(endpoints[0], true), begin(endpoints[0], false)];
    now = 1500;
    watch.tick();
    expect(probes).to.have.length(0);
    now = 1501;
    watch.tick();
    expect(probes).to.have.length(1);
    await probes[0]!.end(late());
    expect(told).to.deep.equal(['one out: it stands still: x: late']);
    expect([movable.aborted, fixed.aborted]).to.deep.equal([true, false]);
  });

  it('keeps one that is busy, and answers others', async () => {
    const attempt = begin(endpoints[0], true);
    now = 600;
    watch.tick();
    now = 700;
    endpoints[0].running.heard(now);
    await probes[0]!.end(late());
    expect([told, attempt.aborted]).to.deep.equal([[], false]);
    now = 1100;
    watch.tick();
    expect(probes).to.have.length(1);
  });

  it('takes nothing back where there is no other that is well', async () => {
    endpoints[1].health.probeFailed(0);
    const attempt = begin(endpoints[0], true);
    now = 600;
    watch.tick();
    await probes[0]!.end(late());
    expect(told).to.have.length(1);
    expect(attempt.aborted).to.equal(false);
  });

  it('takes back what waits for one that is out, as soon as there is another one', async () => {
    watch.close();
    open({ ...HEALTH, ejectMs: 1, ejectMsMax: 1 });
    endpoints[1].health.probeFailed(0);
    const attempt = begin(endpoints[0], true);
    now = 600;
    watch.tick();
    await probes[0]!.end(late());
    await until(() => probes.length === 2);
    expect(attempt.aborted).to.equal(false);
    endpoints[1].health.probed();
    await probes[1]!.end(late());
    expect([told.length, attempt.aborted]).to.deep.equal([1, true]);
  });

  it('leaves out one whose health check says so', async () => {
    now = 5001;
    watch.tick();
    await probes[0]!.end(new Error('the health check of Swift answers 503'));
    await probes[1]!.end();
    expect(told).to.deep.equal(['one out: the health check of Swift answers 503']);
    expect(endpoints[1].running.heardAt).to.equal(5001);
  });

  it('leaves out one that is much slower than the others, and never the last one', () => {
    for (let i = 0; i < 20; i++) {
      endpoints[0].health.latencies.add(2000);
      endpoints[1].health.latencies.add(20);
    }
    now = 5000;
    watch.tick();
    expect(told).to.deep.equal(['one out: it takes several times as long as the others']);
    for (let i = 0; i < 20; i++) endpoints[1].health.latencies.add(9000);
    now = 10_000;
    watch.tick();
    expect(told).to.have.length(1);
  });

  it('does not take one for slow that is back, for what it did not answer while it was out', async () => {
    now = 5001;
    endpoints[1].running.heard(now);
    watch.tick();
    await probes[0]!.end(late());
    for (let i = 0; i < 20; i++) {
      // Those that were taken back from it.
      endpoints[0].health.latencies.add(2500);
      endpoints[1].health.latencies.add(20);
    }
    watch.answered(endpoints[0]);
    for (let i = 0; i < 16; i++) endpoints[0].health.latencies.add(20);
    told = [];
    now = 10_001;
    for (const { running } of endpoints) running.heard(now);
    watch.tick();
    expect(told).to.deep.equal([]);
    expect(endpoints[0].health.well).to.equal(true);
  });
});
