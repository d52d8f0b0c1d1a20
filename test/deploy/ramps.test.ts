import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Ramp } from '../../src/deploy/service/ramp-record.js';
import type { Run } from '../../src/deploy/service/run-record.js';
import type { Spec } from '../../src/deploy/spec/schema.js';
import { eventually } from '../support/eventually.js';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';
import { FakeRecon, type Odd } from './fake-recon.js';
import { AUTHORIZATION, small, TestDeploy } from './service-support.js';

const HOUR_MS = 3_600_000;
const WHOLE = { copies_found: 12, copies_expected: 12 };

describe('deploy: ramps', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy-ramps');
  const recon = useEach(() => FakeRecon.start(join(folder(), 'nodes')), 'stop');
  const deploy = useEach(() => {
    const dispersionProgram = join(folder(), 'dispersion-report');
    const parts = { rampPollMs: 5, dispersionProgram };
    return TestDeploy.driven(folder(), parts, { dispersion_conf: 'dispersion.json' });
  }, 'close');
  let base: Spec;

  beforeEach(async () => {
    const program = join(folder(), 'dispersion-report');
    await writeFile(program, '#!/bin/sh\ncat "$2"\n', { mode: 0o755 });
    await report({ object: WHOLE, container: WHOLE });
    // The servers of the example do not mind devices that are no mount points.
    base = { ...recon().on(small), tuning: {} };
    await deploy().putSpec(base);
    await deploy().succeed('first');
    // Partitions of a new ring stay where they are for an hour, too.
    letSettle();
  });

  const report = (value: object) =>
    writeFile(join(folder(), 'dispersion.json'), `a line before\n${JSON.stringify(value)}\n`);

  /** The device d1 of node1 gets 40 in place of 100: by half of that in each step. */
  function lighter(): Spec {
    const [first, ...nodes] = base.nodes;
    if (first === undefined) throw new Error('there is a node');
    const devices = first.devices.map((device) =>
      device.name === 'd1' ? { ...device, weight: 40 } : device,
    );
    return { ...base, nodes: [{ ...first, devices }, ...nodes], rollout: { weight_step_pct: 50 } };
  }

  const post = (path: string, body?: unknown, key = 'ramp-key') =>
    deploy().call('POST', path, { body, headers: { 'idempotency-key': key } });

  async function order(id: string, act: 'pause' | 'resume' | 'cancel'): Promise<void> {
    expect((await post(`/v1/ramps/${id}/${act}`)).status).to.equal(202);
  }

  async function begin(spec: Spec = lighter()): Promise<string> {
    const { status, text } = await post('/v1/ramps', { spec });
    expect(status, text).to.equal(201);
    return (JSON.parse(text) as { ramp_id: string }).ramp_id;
  }

  const rampOf = async (id: string) =>
    JSON.parse((await deploy().call('GET', `/v1/ramps/${id}`)).text) as Ramp;

  /** Follows the events of a ramp until it is as it has to be. */
  async function untilRamp(id: string, holds: (ramp: Ramp) => boolean): Promise<Ramp> {
    const url = `http://127.0.0.1:${deploy().port}/v1/ramps/${id}/events`;
    const response = await fetch(url, { headers: { authorization: AUTHORIZATION } });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let last = 'none';
    for (;;) {
      const { done, value = '' } = await reader.read();
      if (done) break;
      const lines = `${rest}${value}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue;
        last = line.slice('data: '.length);
        const ramp = JSON.parse(last) as Ramp;
        if (!holds(ramp)) continue;
        await reader.cancel();
        return ramp;
      }
    }
    throw new Error(`it never was, last: ${last}`);
  }

  /** Waits until the servers were asked once more from their beginning on, and the answers count. */
  async function looked(times = 2): Promise<void> {
    const wanted = recon().looks + times;
    await eventually(
      () => Promise.resolve(recon().looks),
      (looks) => looks >= wanted,
    );
  }

  const closedGates = ({ gates }: Ramp) => gates.filter(({ ok }) => !ok).map(({ name }) => name);

  /** An hour and a full pass later. */
  function letSettle(): void {
    deploy().nowMs += 2 * HOUR_MS;
    recon().beganS = deploy().nowMs / 1000 - 120;
  }

  it('takes each step only once every gate is open', async () => {
    const id = await begin();
    const waiting = await untilRamp(id, ({ runs, gates }) => runs.length === 1 && gates.length > 0);
    expect(waiting.runs).to.have.length(1);
    expect([waiting.steps_left, (waiting.remaining_s ?? 0) > 3600]).to.deep.equal([2, true]);
    expect(closedGates(waiting)).to.deep.equal(['min_part_hours', 'replication', 'dispersion']);
    const placedS = waiting.placed_unix_s;
    letSettle();
    const onlyClosed = async (gate: string): Promise<void> => {
      await looked();
      const ramp = await untilRamp(id, (each) => closedGates(each)[0] === gate);
      expect(ramp.runs, gate).to.have.length(1);
    };
    const odds: readonly (readonly [string, string, Odd])[] = [
      ['node3/object', 'rings', { ringMd5: 'f'.repeat(32) }],
      ['node2/container', 'replication', { beganS: placedS + 14 }],
      ['node4/object', 'replication', { failures: 1 }],
    ];
    // One of them is closed at any time.
    await report({ object: WHOLE, container: { ...WHOLE, copies_found: 11 } });
    for (const [server, gate, odd] of odds) {
      recon().odd.set(server, odd);
      await onlyClosed(gate);
      recon().odd.delete(server);
    }
    await onlyClosed('dispersion');
    expect((await rampOf(id)).gates.at(-1)?.message).to.equal(
      '11 of 12 copies of containers are in place',
    );
    await report({ object: WHOLE, container: WHOLE });
    for (const steps of [2, 3]) {
      const stepped = await untilRamp(id, ({ runs }) => runs.length === steps);
      expect(stepped.state).to.equal('running');
      await untilRamp(id, ({ runs, phase }) => runs.length === steps && phase === 'wait');
      letSettle();
    }
    const events = deploy().call('GET', `/v1/ramps/${id}/events`);
    const done = await untilRamp(id, ({ ended_unix_s: ended }) => ended !== null);
    expect(done).to.include({ state: 'succeeded', steps_left: 0, remaining_s: 0, message: '' });
    expect((await events).text).to.contain('"state":"succeeded"');
    const runs: Run[] = [];
    for (const run of done.runs) runs.push((await deploy().call('GET', `/v1/runs/${run}`)).json);
    expect(runs.map(({ ramp }) => [ramp?.step, ramp?.steps_left])).to.deep.equal([
      [1, 2],
      [2, 1],
      [3, 0],
    ]);
    const left = await deploy().plan({ spec: lighter() });
    expect([left.empty, left.complete]).to.deep.equal([true, true]);
  });

  it('looks at the cluster before its first step as before the others', async () => {
    recon().odd.set('node4/container', { status: 500 });
    const id = await begin();
    const stopped = await untilRamp(id, ({ state }) => state === 'stopped');
    expect([stopped.runs, stopped.message]).to.deep.equal([
      [],
      'The cluster is not well: the container server of node4 does not answer: it answers 500',
    ]);
    const silent = stopped.gates.filter(({ message }) =>
      message.endsWith('from node4 (container)'),
    );
    expect(silent.map(({ message }) => message)).to.include('no answer from node4 (container)');
    recon().odd.set('node4/container', { failures: 1 });
    await order(id, 'resume');
    await looked();
    const waiting = await untilRamp(id, (ramp) => closedGates(ramp)[0] === 'replication');
    expect(waiting.runs).to.deep.equal([]);
    recon().odd.clear();
    await untilRamp(id, ({ runs }) => runs.length === 1);
  });

  it('sees what others apply before its first step', async () => {
    recon().odd.set('node4/container', { failures: 1 });
    const id = await begin();
    await untilRamp(id, (ramp) => closedGates(ramp)[0] === 'replication');
    await deploy().putSpec({ ...base, proxy: { ...base.proxy, workers: 7 } });
    await deploy().succeed('meanwhile');
    letSettle();
    recon().odd.clear();
    const ended = await untilRamp(id, ({ state, runs }) => state === 'stopped' || runs.length > 0);
    expect([ended.runs, ended.message]).to.deep.equal([[], 'Another plan was applied meanwhile.']);
    await order(id, 'resume');
    await untilRamp(id, ({ runs }) => runs.length === 1);
  });

  it('waits for a plan that was applied while it was paused', async () => {
    const id = await begin();
    await untilRamp(id, ({ runs, phase }) => runs.length === 1 && phase === 'wait');
    await order(id, 'pause');
    letSettle();
    await deploy().putSpec({ ...base, proxy: { ...base.proxy, workers: 7 } });
    await deploy().succeed('paused');
    await order(id, 'resume');
    // The last passes of replicators began before it.
    const waiting = await untilRamp(
      id,
      (ramp) => ramp.runs.length > 1 || closedGates(ramp)[0] === 'replication',
    );
    expect(waiting.runs).to.have.length(1);
    letSettle();
    await untilRamp(id, ({ runs }) => runs.length === 2);
  });

  it('does not mind devices that are no mount points where servers do not either', async () => {
    const servers = ['account-server', 'container-server', 'object-server'] as const;
    const unchecked = servers.map((server) => [server, { mount_check: false }] as const);
    base = { ...base, tuning: { ...base.tuning, ...Object.fromEntries(unchecked) } };
    await deploy().putSpec(base);
    await deploy().succeed('unchecked');
    letSettle();
    recon().odd.set('node2', { unmounted: ['d1'] });
    const id = await begin();
    await untilRamp(id, ({ runs }) => runs.length === 1);
  });

  it('stops where a run of another plan has left its rings, and says which and what to do', async () => {
    const before = (await deploy().call('GET', '/v1/spec')).headers.etag;
    await deploy().putSpec({ ...lighter(), rollout: { weight_step_pct: 100 } });
    deploy().driver.failsAt = 'node2';
    const left = await deploy().deploy('left');
    expect(left.state).to.equal('partial');
    deploy().driver.failsAt = undefined;
    letSettle();
    const id = await begin();
    const stopped = await untilRamp(id, ({ state }) => state === 'stopped');
    expect([stopped.runs, stopped.message]).to.deep.equal([
      [],
      `The cluster is not well: another ring is on node1 (account), node1 (container), node1 (object), since ${left.id} is partial. Retry that run, or apply another plan, and resume the ramp.`,
    ]);
    // A plan of what is in force takes it back, though it changes nothing of that.
    const wish = { spec_etag: String(before).replaceAll('"', '') };
    const { json: back } = await deploy().call('POST', '/v1/plans', { body: wish });
    expect([back.empty, back.unsettled]).to.deep.equal([true, ['node1', 'node2']]);
    const applied = await deploy().apply(back, 'back');
    expect((await deploy().ended(applied.json.run_id)).state).to.equal('succeeded');
    letSettle();
    await order(id, 'resume');
    await untilRamp(id, ({ runs }) => runs.length === 1);
    const { json: none } = await deploy().call('POST', '/v1/plans', { body: wish });
    expect(none.unsettled).to.deep.equal([]);
  });

  it('goes on from a step that a retry has completed, once the cluster has settled', async () => {
    deploy().driver.failsAt = 'node2';
    const id = await begin();
    const stopped = await untilRamp(id, ({ state }) => state === 'stopped');
    const [, failed = ''] = /^(run-\w+) is partial: node2/.exec(stopped.message) ?? [];
    deploy().driver.failsAt = undefined;
    const { status, json } = await post(`/v1/runs/${failed}/retry`, {}, 'retry');
    expect(status).to.equal(202);
    const run = await deploy().ended(json.run_id);
    expect([run.state, run.ramp?.id, run.ramp?.step]).to.deep.equal(['succeeded', id, 1]);
    await order(id, 'resume');
    await looked();
    const waiting = await untilRamp(id, (ramp) => closedGates(ramp)[0] === 'replication');
    expect(waiting.runs).to.deep.equal([json.run_id]);
    letSettle();
    await untilRamp(id, ({ runs }) => runs.length === 2);
  });

  it('stops by itself where the cluster is not well, and goes on when it is told to', async () => {
    const id = await begin();
    await untilRamp(id, ({ runs, phase }) => runs.length === 1 && phase === 'wait');
    recon().odd.set('node4/container', { status: 500 });
    const stopped = await untilRamp(id, ({ state }) => state === 'stopped');
    expect(stopped.message).to.equal(
      'The cluster is not well: the container server of node4 does not answer: it answers 500',
    );
    letSettle();
    const { looks } = recon();
    expect((await post(`/v1/ramps/${id}/pause`)).status).to.equal(409);
    recon().odd.set('node4/container', { unmounted: ['d1'] });
    await order(id, 'resume');
    const again = await untilRamp(id, ({ state }) => state === 'stopped');
    expect(again.message).to.contain('has devices that are not mounted: d1');
    expect([again.runs.length, recon().looks > looks]).to.deep.equal([1, true]);
    // Beside the devices, and none of them.
    recon().odd.set('node4/container', { unmounted: ['lost+found'] });
    await order(id, 'resume');
    await untilRamp(id, ({ runs }) => runs.length === 2);
    await order(id, 'cancel');
    const cancelled = await rampOf(id);
    expect([cancelled.state, cancelled.ended_unix_s !== null]).to.deep.equal(['cancelled', true]);
    expect((await post(`/v1/ramps/${id}/resume`)).status).to.equal(409);
  });

  it('is paused and resumed, also over a restart, and sees what others have applied', async () => {
    const id = await begin();
    await untilRamp(id, ({ runs, phase }) => runs.length === 1 && phase === 'wait');
    await order(id, 'pause');
    letSettle();
    await deploy().restart();
    const paused = await rampOf(id);
    expect([paused.state, paused.runs.length]).to.deep.equal(['paused', 1]);
    expect((await post('/v1/ramps', { spec: lighter() })).json).to.deep.include({ ramp_id: id });
    expect((await post('/v1/ramps', { spec: base })).json.error.code).to.equal(
      'idempotency_key_reused',
    );
    expect((await post('/v1/ramps', { spec: base }, 'other')).status).to.equal(423);
    expect(JSON.parse((await deploy().call('GET', '/v1/status')).text)).to.include({ ramp_id: id });
    await order(id, 'resume');
    await untilRamp(id, ({ runs, phase }) => runs.length === 2 && phase === 'wait');
    // Another process goes on with a ramp that was under way.
    await deploy().restart();
    await looked();
    expect((await rampOf(id)).state).to.equal('running');
    await deploy().putSpec({ ...base, proxy: { ...base.proxy, workers: 7 } });
    await deploy().succeed('meanwhile');
    letSettle();
    const stopped = await untilRamp(id, ({ state }) => state === 'stopped');
    expect(stopped.message).to.equal('Another plan was applied meanwhile.');
  });

  it('wants a specification and a key, and is none that does not exist', async () => {
    const body = { spec: base };
    expect((await deploy().call('POST', '/v1/ramps', { body })).status).to.equal(400);
    expect((await post('/v1/ramps', { ...body, seed: 1 })).status).to.equal(400);
    expect((await post('/v1/ramps', { spec: { ...base, rings: [] } })).status).to.equal(422);
    expect((await post('/v1/ramps', { spec_etag: 'none' })).status).to.equal(404);
    expect((await deploy().call('GET', `/v1/ramps/ramp-${'0'.repeat(24)}`)).status).to.equal(404);
    expect((await post('/v1/ramps/x/cancel')).status).to.equal(404);
  });
});
