import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { dispersionGate } from '../../src/deploy/ramp/dispersion.js';
import type { StoredPlan } from '../../src/deploy/service/planner-protocol.js';
import { Ramps, type RampParts } from '../../src/deploy/service/ramps.js';
import { streamRamp } from '../../src/deploy/service/run-events.js';
import type { Run } from '../../src/deploy/service/run-record.js';
import { unsettledRun } from '../../src/deploy/service/unsettled.js';
import { eventually } from '../support/eventually.js';
import { codeOf } from '../support/failure.js';
import { removeFolder, useTempFolder } from '../support/temp-folder.js';
import { small } from './service-support.js';

/** A call that is answered when a test says so. */
class Held<T> {
  readonly begun: Promise<void>;
  answer: (value: T) => void = () => undefined;
  #begin: () => void = () => undefined;
  readonly #result: Promise<T>;

  constructor() {
    this.begun = new Promise((resolve) => (this.#begin = resolve));
    this.#result = new Promise((resolve) => (this.answer = resolve));
  }

  readonly call = (): Promise<T> => {
    this.#begin();
    return this.#result;
  };
}

describe('deploy: ramps that are interrupted', () => {
  const PLAN = {
    id: '0'.repeat(24),
    ring_changes: [{ next_steps_parts_moved: [] }],
    blast_radius: [],
    unsettled: [],
  } as unknown as StoredPlan;
  const DONE = { id: 'run-1', state: 'succeeded', ended_unix_s: 1 } as Run;
  const folder = useTempFolder('deploy-ramps-alone');
  let ramps: Ramps;

  afterEach(async () => {
    await ramps.close();
  });

  /** Its gates stay closed, unless a test says otherwise. */
  async function open(more: Partial<RampParts>, files: readonly string[] = []): Promise<void> {
    const parts: RampParts = {
      ...{ folder: folder(), now: () => 1_700_000_000_000, pollMs: 60_000 },
      specOf: (etag) => Promise.resolve({ spec: small, etag }),
      plan: () => Promise.resolve(PLAN),
      planOf: () => Promise.resolve(undefined),
      runOf: () => undefined,
      stepRun: () => undefined,
      // Nothing is in force: there is nothing to look at before the first step.
      placedS: () => null,
      apply: () => Promise.resolve(DONE),
      appliedEtag: () => 'applied',
      look: () =>
        Promise.resolve({ gates: [{ name: 'rings', ok: false, message: '' }], problems: [] }),
      onEnd: () => Promise.resolve(),
      ...more,
    };
    ramps = await Ramps.open(parts, files);
  }

  const begun = () =>
    ramps.begin({ spec: { spec: small, etag: 'e' }, allowLarge: false, key: 'k', actor: 'a' });

  it('stays cancelled, whatever its step and those who wait to resume it do', async () => {
    const step = new Held<Run>();
    await open({ apply: step.call });
    const ramp = await begun();
    await step.begun;
    await ramps.pause(ramp);
    const resumed = [codeOf(ramps.resume(ramp)), codeOf(ramps.resume(ramp))];
    await ramps.cancel(ramp);
    step.answer({ ...DONE, state: 'partial' });
    expect(await Promise.all(resumed)).to.deep.equal(['not_running', 'not_running']);
    expect([ramp.state, ramps.active]).to.deep.equal(['cancelled', undefined]);
  });

  it('is resumed once by two who wait for the end of its step', async () => {
    const step = new Held<Run>();
    await open({ apply: step.call });
    const ramp = await begun();
    await step.begun;
    await ramps.pause(ramp);
    const resumed = [codeOf(ramps.resume(ramp)), codeOf(ramps.resume(ramp))];
    step.answer(DONE);
    expect(await Promise.all(resumed)).to.deep.equal(['none', 'not_running']);
    expect([ramp.state, ramp.resumed, ramp.runs]).to.deep.equal(['running', 1, ['run-1']]);
  });

  it('stops, and leaves the service alone, where its journal cannot be written', async () => {
    const plan = new Held<StoredPlan>();
    await open({ plan: plan.call });
    const ramp = await begun();
    await plan.begun;
    await removeFolder(folder());
    plan.answer(PLAN);
    await eventually(
      () => Promise.resolve(ramp.state),
      (state) => state === 'stopped',
    );
    await ramps.close();
    expect(ramp.message).to.contain('ENOENT');
  });

  it('looks at the cluster again before a step that was put off', async () => {
    const plan = new Held<StoredPlan>();
    const settled = { gates: [], problems: [] };
    await open({ look: () => Promise.resolve(settled), plan: plan.call });
    const ramp = await begun();
    await plan.begun;
    await ramps.pause(ramp);
    plan.answer(PLAN);
    await ramps.close();
    // As it is after its first step, when the gates have opened.
    const file = join(folder(), `${ramp.id}.json`);
    const journal = { ...ramp, state: 'running', runs: ['run-1'] };
    for (const hasBegun of [false, true]) {
      await writeFile(file, JSON.stringify(journal));
      const ill = { gates: [], problems: ['a node does not answer'] };
      const step = new Held<StoredPlan>();
      let looks = 0;
      const look = () => Promise.resolve((looks += 1)).then(() => ill);
      const stepRun = () => (hasBegun ? ({ ...DONE, state: 'partial' } as Run) : undefined);
      await open({ pollMs: 1, look, plan: step.call, stepRun, placedS: () => 1 }, [file]);
      const again = ramps.get(ramp.id);
      // A step that a run has begun is completed: the gates would stay closed.
      if (hasBegun) await step.begun;
      else {
        await eventually(
          () => Promise.resolve(again?.state),
          (state) => state === 'stopped',
        );
      }
      expect([again?.phase, looks > 0]).to.deep.equal(hasBegun ? ['step', false] : ['wait', true]);
      step.answer(PLAN);
      await ramps.close();
    }
  });

  it('tells a reader who is slow of its end once', async () => {
    const step = new Held<Run>();
    await open({ apply: step.call });
    const ramp = await begun();
    await step.begun;
    const failures: Error[] = [];
    const events = streamRamp(ramps, ramp);
    events.on('error', (error) => failures.push(error));
    await ramps.cancel(ramp);
    step.answer(DONE);
    await ramps.close();
    // Streams tell of errors in the next tick.
    await setImmediate();
    expect(failures).to.deep.equal([]);
    // Nothing was taken until now.
    const told = await text(events);
    expect(told).to.contain('"state":"running"');
    expect(told.match(/"state":"cancelled"/g)).to.have.length(1);
  });

  it('begins no run once the service ends', async () => {
    const plan = new Held<StoredPlan>();
    let applied = 0;
    await open({ plan: plan.call, apply: () => Promise.resolve((applied += 1)).then(() => DONE) });
    const ramp = await begun();
    await plan.begun;
    const closed = ramps.close();
    plan.answer(PLAN);
    await closed;
    expect([applied, ramp.state, ramp.phase]).to.deep.equal([0, 'running', 'step']);
  });

  it('waits for no dispersion report once it is paused', async () => {
    const program = join(folder(), 'dispersion-report');
    // It waits for an input that does not come.
    await writeFile(program, '#!/bin/sh\n: > "$2"\nexec cat\n');
    await chmod(program, 0o755);
    const conf = join(folder(), 'begun');
    const look: RampParts['look'] = async (_ramp, signal) => ({
      gates: [await dispersionGate(conf, signal, program)],
      problems: [],
    });
    await open({ look });
    const ramp = await begun();
    await eventually(
      () => Promise.resolve(existsSync(conf)),
      (isThere) => isThere,
    );
    await ramps.pause(ramp);
    await ramps.resume(ramp);
    expect(ramp.state).to.equal('running');
  });
});

describe('deploy: a run that has left something on nodes', () => {
  const store = { appliedEtag: 'applied' };
  const steps = [{ node: 'node1', action: 'install', state: 'done' }];
  const run = (state: string) => ({ state, base_etag: 'applied', steps }) as unknown as Run;

  it('is none while a retry goes on, which may settle it', () => {
    const left = run('partial');
    expect(unsettledRun([left], store)).to.equal(left);
    expect(unsettledRun([run('running'), left], store)).to.equal(undefined);
    expect(unsettledRun([run('succeeded'), left], store)).to.equal(undefined);
  });
});
