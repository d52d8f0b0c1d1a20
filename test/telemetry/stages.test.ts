import { expect } from 'chai';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { STAGE, STAGE_NAMES, StageClock } from '../../src/telemetry/stage-clock.js';
import { StageMetrics } from '../../src/telemetry/stage-metrics.js';

describe('telemetry: stage clock', () => {
  let now: number;
  let clock: StageClock;

  beforeEach(() => {
    now = 1000;
    clock = new StageClock(now, () => now);
  });

  /** Milliseconds of each stage that has any. */
  function spent(): Record<string, number> {
    const all = STAGE_NAMES.map((name) => [name, Math.round(clock.seconds(STAGE[name]) * 1e3)]);
    return Object.fromEntries(all.filter(([, ms]) => ms !== 0)) as Record<string, number>;
  }

  function after(ms: number, step: () => void): void {
    now += ms;
    step();
  }

  it('begins with parsing, and counts a stage until another one begins', () => {
    after(1, () => clock.enter(STAGE.auth));
    after(2, () => clock.enter(STAGE.render));
    after(4, () => clock.enter(STAGE.auth));
    after(8, () => {
      clock.end(now);
    });
    expect(spent()).to.deep.equal({ parse: 1, auth: 10, render: 4 });
  });

  it('waits for the backend as long as any call is under way', () => {
    clock.enter(STAGE.render);
    const waits = (): void => {
      clock.waits();
    };
    const goesOn = (): void => {
      clock.goesOn();
    };
    after(1, waits);
    after(2, waits);
    after(4, goesOn);
    after(8, goesOn);
    after(16, () => {
      clock.end(now);
    });
    expect(spent()).to.deep.equal({ render: 17, backend_wait: 14 });
  });

  it('goes on when a call is not waited for, and hears nothing of it after the end', () => {
    clock.enter(STAGE.render);
    clock.waits();
    after(1, () => clock.enter(STAGE.write));
    after(2, () => {
      clock.goesOn();
    });
    after(4, () => {
      clock.end(now);
    });
    after(8, () => clock.enter(STAGE.hash));
    after(16, () => {
      clock.end(now);
    });
    expect(spent()).to.deep.equal({ backend_wait: 1, write: 6 });
  });

  it('loses no time and finds none, whatever happens', () => {
    const step = fc.record({
      ms: fc.integer({ min: 0, max: 100_000 }),
      action: fc.constantFrom('waits', 'goesOn', ...STAGE_NAMES),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        now = 0;
        clock = new StageClock(0, () => now);
        for (const { ms, action } of steps) {
          now += ms;
          if (action === 'waits' || action === 'goesOn') clock[action]();
          else clock.enter(STAGE[action]);
        }
        clock.end(now);
        const sum = STAGE_NAMES.reduce((total, name) => total + clock.seconds(STAGE[name]), 0);
        expect(sum).to.be.closeTo(now / 1000, 1e-6);
      }),
    );
  });
});

describe('telemetry: stage metrics', () => {
  it('measures one request of so many, the first one among them', () => {
    const metrics = new StageMetrics([]);
    const due = (): boolean[] => Array.from({ length: 6 }, () => metrics.isDue);
    expect(due()).not.to.include(true);
    metrics.sample(3);
    expect(due()).to.deep.equal([true, false, false, true, false, false]);
    metrics.sample(1);
    expect(due()).not.to.include(false);
  });

  it('has a histogram for each stage that a request was in, and the longest', async () => {
    const registry = new Registry();
    const metrics = new StageMetrics([registry]);
    for (const ms of [4, 2]) {
      let now = 0;
      const clock = new StageClock(0, () => now);
      now = ms;
      clock.end(now);
      metrics.finished(clock, 'get');
    }
    const text = (await registry.metrics()).split('\n');
    const labels = 'path="get",stage="parse"';
    expect(text).to.include(`ringway_stage_parse_seconds_bucket{le="0.0025",${labels}} 1`);
    expect(text).to.include(`ringway_stage_parse_seconds_count{${labels}} 2`);
    expect(text).to.include(`ringway_stages_max_seconds{${labels}} 0.004`);
    expect(text).to.include(
      'ringway_stage_unattributed_seconds_count{path="get",stage="unattributed"} 2',
    );
    expect(text.filter((line) => line.startsWith('ringway_stage_hash_seconds_'))).to.have.length(0);
  });
});
