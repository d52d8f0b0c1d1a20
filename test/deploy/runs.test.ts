import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { request } from 'undici';
import { LocalDriver } from '../../src/deploy/drivers/local.js';
import { streamRun } from '../../src/deploy/service/run-events.js';
import type { Run } from '../../src/deploy/service/run-record.js';
import { Runs } from '../../src/deploy/service/runs.js';
import { DeployStore } from '../../src/deploy/service/store.js';
import { Blobs } from '../../src/deploy/state/blobs.js';
import { writeDurably } from '../../src/lib/durable-file.js';
import { codeOf, failureOf } from '../support/failure.js';
import { useEach } from '../support/fixture.js';
import { mustRun } from '../support/programs.js';
import { useTempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import {
  AUTHORIZATION,
  endDeploy,
  otherWorkers,
  small,
  TestDeploy,
  writeSecret,
} from './service-support.js';
import { fileOf, NODE } from './support.js';

describe('deploy: runs', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy');
  const deploy = useEach(() => TestDeploy.driven(folder()), endDeploy);

  it('begins one run for one key', async () => {
    await deploy().putSpec(small);
    const made = await deploy().plan();
    const other = await deploy().plan({ seed: 2 });
    const [first, twin] = await Promise.all([
      deploy().apply(made, 'key'),
      deploy().apply(made, 'key'),
    ]);
    expect([twin.status, twin.json]).to.deep.equal([202, first.json]);
    expect((await deploy().apply(made, 'key')).json).to.deep.equal(first.json);
    const reused = await deploy().apply(other, 'key');
    expect([reused.status, reused.json.error.code]).to.deep.equal([422, 'idempotency_key_reused']);
    await deploy().ended(first.json.run_id);
    expect((await deploy().apply(made, 'key')).json).to.deep.equal(first.json);
  });

  it('wants If-Match and a key, and a plan that is fresh', async () => {
    await deploy().putSpec(small);
    const made = await deploy().plan();
    const path = `/v1/plans/${made.id}/apply`;
    expect((await deploy().call('POST', path)).status).to.equal(428);
    const match = { 'if-match': `"${made.base_etag}"` };
    expect((await deploy().call('POST', path, { headers: match })).status).to.equal(400);
    deploy().nowMs += 3600 * 1000;
    expect((await deploy().apply(made, 'late')).json.error.code).to.equal('plan_stale');
    expect((await deploy().apply({ ...made, id: '0'.repeat(24) }, 'none')).status).to.equal(404);
  });

  it('applies one plan at a time, and can be cancelled between steps', async () => {
    await deploy().putSpec(small);
    deploy().driver.waitsAt = 'node2';
    const made = await deploy().plan();
    const { json } = await deploy().apply(made, 'first');
    await until(() => deploy().driver.release !== undefined);
    const locked = await deploy().apply(made, 'second');
    expect(locked.status).to.equal(423);
    expect(locked.json.error.details).to.include({ run_id: json.run_id, holder: 'deploy' });
    expect(locked.headers['retry-after']).to.match(/^\d+$/);
    expect((await deploy().call('POST', `/v1/runs/${json.run_id}/cancel`)).status).to.equal(202);
    deploy().driver.release?.();
    const run = await deploy().ended(json.run_id);
    expect(run.state).to.equal('cancelled');
    expect(deploy().driver.begun).to.deep.equal(['node1', 'node2']);
    expect((await deploy().call('POST', `/v1/runs/${run.id}/cancel`)).status).to.equal(409);
    deploy().driver.waitsAt = undefined;
    await deploy().succeed('third');
  });

  it('stops at a node that fails, and completes it later', async () => {
    await deploy().putSpec(small);
    deploy().driver.failsAt = 'node1';
    const failed = await deploy().deploy('first');
    expect([failed.state, failed.message]).to.deep.equal(['failed', 'node1: no route to host']);
    deploy().driver.failsAt = 'node3';
    const partial = await deploy().deploy('second');
    expect(partial.state).to.equal('partial');
    expect(partial.steps.map(({ state }) => state)).to.deep.equal([
      ...['succeeded', 'staged', 'succeeded', 'staged', 'failed'],
      ...['cancelled', 'cancelled', 'cancelled'],
    ]);
    deploy().driver.failsAt = undefined;
    const whole = await deploy().deploy('third');
    expect(whole.state).to.equal('succeeded');
    expect(whole.steps[0]?.message).to.equal('All files were in place.');
  });

  it('goes back from a run that stopped half-way', async () => {
    const before = (await deploy().putSpec(small)).json.etag;
    await deploy().deploy('first');
    const { gateway, ...without } = otherWorkers;
    expect(gateway).not.to.equal(undefined);
    await deploy().putSpec(without);
    deploy().driver.failsAt = 'node2';
    expect((await deploy().deploy('second')).state).to.equal('partial');
    expect(await deploy().installed('node1', 'etc/swift/proxy-server.conf')).to.contain(
      'workers = 5\n',
    );
    deploy().driver.failsAt = undefined;
    deploy().nowMs += 1000;
    const back = await deploy().succeed('third', { spec_etag: before });
    expect(back.steps.map(({ node, action }) => `${node} ${action}`)).to.deep.equal([
      ...['node1 install', 'node1 reload', 'node2 install', 'node2 reload'],
    ]);
    expect(back.steps[1]?.commands).to.include('systemctl reload-or-restart swift-proxy');
    expect(await deploy().nodeStates()).to.deep.equal(Array(4).fill('in_sync'));
    expect((await deploy().deploy('fourth', { spec_etag: before })).steps).to.deep.equal([]);
  });

  it('takes away what a run has added that stopped half-way', async () => {
    const { gateway, ...without } = small;
    const before = (await deploy().putSpec(without)).json.etag;
    await deploy().deploy('first');
    await deploy().putSpec({ ...without, gateway });
    deploy().driver.failsAt = 'node2';
    expect((await deploy().deploy('second')).state).to.equal('partial');
    const added = 'etc/ringway/ringway.json';
    expect(await deploy().installed('node1', added)).to.contain('swift_endpoints');
    deploy().driver.failsAt = undefined;
    await deploy().succeed('third', { spec_etag: before });
    expect(await codeOf(deploy().installed('node1', added))).to.equal('ENOENT');
  });

  it('writes where a process of the same number was killed while it wrote', async () => {
    const failure = await failureOf(writeDurably(join(folder(), 'none/file'), ''));
    const [, count] = /-(\d+)\.tmp/.exec(String(failure)) ?? [];
    const file = join(folder(), 'file');
    await writeFile(`${file}.${process.pid}-0-${Number(count) + 1}.tmp`, 'half of a longer text');
    await writeDurably(file, 'whole');
    expect(await readFile(file, 'utf8')).to.equal('whole');
  });

  it('counts a run as done whose state was in force when it was killed', async () => {
    await deploy().putSpec(small);
    const run = await deploy().deploy('first');
    const file = join(folder(), 'state/runs', `${run.id}.json`);
    await writeFile(file, JSON.stringify({ ...run, state: 'running', ended_unix_s: null }));
    await deploy().restart();
    const { json } = await deploy().call('GET', `/v1/runs/${run.id}`);
    expect(json.state).to.equal('succeeded');
    expect((await deploy().plan()).empty).to.equal(true);
  });

  it('needs every secret, and the same prefix and suffix for ever', async () => {
    await deploy().putSpec(small);
    await rm(join(folder(), 'secrets/admin-key'));
    const missing = await deploy().apply(await deploy().plan(), 'first');
    expect(missing.status).to.equal(422);
    expect(missing.text).to.contain('secret admin-key');
    await writeSecret(folder(), 'admin-key', 'admin-key-2');
    await deploy().succeed('second');
    await writeSecret(folder(), 'hash-suffix', 'another');
    await deploy().putSpec(otherWorkers);
    const changed = await deploy().apply(await deploy().plan(), 'third');
    expect(changed.status).to.equal(422);
    expect(changed.json.error.message).to.contain('nothing would be found');
  });

  it('installs nothing of a node where a part of it cannot be installed', async () => {
    await mkdir(join(folder(), 'nodes/node2/etc'), { recursive: true });
    await writeFile(join(folder(), 'nodes/node2/etc/swift'), 'a file in the place of a folder');
    await deploy().putSpec(small);
    const run = await deploy().deploy('first');
    expect(run.state).to.equal('partial');
    expect(run.message).to.match(/^node2: .*(EEXIST|ENOTDIR)/);
    const { stdout } = await mustRun('find', [join(folder(), 'nodes/node2'), '-type', 'f']);
    expect(stdout.trim().split('\n')).to.deep.equal([join(folder(), 'nodes/node2/etc/swift')]);
  });

  it('follows no link out of the folder of a node', async () => {
    await mkdir(join(folder(), 'nodes/node1/etc'), { recursive: true });
    await mkdir(join(folder(), 'outside'));
    await mustRun('ln', ['-s', join(folder(), 'outside'), join(folder(), 'nodes/node1/etc/swift')]);
    await deploy().putSpec(small);
    const run = await deploy().deploy('first');
    expect([run.state, run.message]).to.deep.equal([
      'failed',
      `node1: etc/swift is a link that leads to ${join(folder(), 'outside')}`,
    ]);
  });

  it('writes through no link that others put where it tries the folder', async () => {
    const victim = join(folder(), 'victim');
    const at = (name: string): string => join(folder(), 'nodes/node1', name);
    const install = (text: string): Promise<number> =>
      new LocalDriver(join(folder(), 'nodes')).install({
        ...{ run: 'run', node: NODE, files: [fileOf('etc/swift/x', text)] },
        ...{ deleted: [], expected: {} },
      });
    await mkdir(at('etc/swift'), { recursive: true });
    await writeFile(victim, 'precious', { mode: 0o600 });
    await symlink(victim, at('etc/swift/.ringway-deploy.probe'));
    expect(await install('one')).to.equal(1);
    expect(await readdir(at('etc/swift'))).to.deep.equal(['x']);
    expect(await readFile(victim, 'utf8')).to.equal('precious');
    // Neither is the mode of what a link leads to set.
    await writeFile(victim, 'one', { mode: 0o600 });
    await rm(at('etc/swift/x'));
    await symlink(victim, at('etc/swift/x'));
    expect(await install('one')).to.equal(1);
    expect((await lstat(at('etc/swift/x'))).isFile()).to.equal(true);
    expect((await stat(victim)).mode & 0o777).to.equal(0o600);
    expect(await readFile(victim, 'utf8')).to.equal('one');
  });

  it('deletes nothing behind a link out of the folder of a node', async () => {
    const outside = join(folder(), 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'ringway.json'), '{}');
    await mkdir(join(folder(), 'nodes/node1/etc'), { recursive: true });
    await mustRun('ln', ['-s', outside, join(folder(), 'nodes/node1/etc/ringway')]);
    const installed = new LocalDriver(join(folder(), 'nodes')).install({
      ...{ run: 'run', node: NODE, files: [], deleted: ['etc/ringway/ringway.json'], expected: {} },
    });
    const { message } = await failureOf(installed);
    expect(message).to.contain(`etc/ringway is a link that leads to ${outside}`);
    expect(await readFile(join(outside, 'ringway.json'), 'utf8')).to.equal('{}');
  });

  it('ends after the step that is under way, whoever follows the run', async () => {
    await deploy().putSpec(small);
    deploy().driver.waitsAt = 'node1';
    const { json } = await deploy().apply(await deploy().plan(), 'first');
    await until(() => deploy().driver.release !== undefined);
    const url = `http://127.0.0.1:${deploy().port}/v1/runs/${json.run_id}/events`;
    const follower = await request(url, { headers: { authorization: AUTHORIZATION } });
    const followed = follower.body.text().catch(() => 'cut off');
    const closed = deploy().close();
    expect(await followed).to.equal('cut off');
    deploy().driver.release?.();
    await closed;
    expect(deploy().driver.begun).to.deep.equal(['node1']);
    deploy().driver.waitsAt = undefined;
    await deploy().restart();
    expect((await deploy().call('GET', `/v1/runs/${json.run_id}`)).json.state).to.equal(
      'cancelled',
    );
  });

  it('takes no step of a run that begins while the service ends', async () => {
    await deploy().putSpec(small);
    const made = await deploy().plan();
    await deploy().close();
    // As a step of a ramp does it: no request has to come through the door.
    const store = await DeployStore.open(join(folder(), 'state'));
    const runs = await Runs.open({
      ...{
        store,
        driver: deploy().driver,
        blobs: new Blobs(store.places.blobs),
        now: () => deploy().nowMs,
      },
      ...{
        secretsDir: join(folder(), 'secrets'),
        parallelNodes: 1,
        onEnd: () => Promise.resolve(),
      },
    });
    const stored = (await store.plan(made.id)) ?? expect.fail();
    const about = { ifMatch: stored.base_etag, key: 'late', actor: 'deploy' };
    const begun = runs.apply({ plan: stored, ...about });
    await runs.close();
    expect(await begun).to.include({ state: 'cancelled' });
    expect(deploy().driver.begun).to.deep.equal([]);
  });

  it('sends no sign of life after the end of events, however slow their reader is', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    // A run that has ended has no listeners. No reader takes anything from its events.
    const runs = undefined as unknown as Runs;
    const events = streamRun(runs, { id: 'run', state: 'succeeded' } as Run);
    expect(timers()).to.equal(before);
    expect(await textOf(events)).to.include('"state":"succeeded"');
  });

  it('streams a run as events', async () => {
    await deploy().putSpec(small);
    deploy().driver.waitsAt = 'node1';
    const { json } = await deploy().apply(await deploy().plan(), 'first');
    await until(() => deploy().driver.release !== undefined);
    const stream = deploy().call('GET', `/v1/runs/${json.run_id}/events`);
    deploy().driver.release?.();
    const { text, headers } = await stream;
    expect(headers['content-type']).to.contain('text/event-stream');
    const events = text
      .trim()
      .split('\n\n')
      .map((event) => /^event: (.*)$/m.exec(event)?.[1]);
    expect([events[0], events.at(-1)]).to.deep.equal(['run', 'run']);
    expect(text).to.contain('"state":"succeeded"');
  });
});
