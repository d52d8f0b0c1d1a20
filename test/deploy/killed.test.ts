import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { StoredPlan } from '../../src/deploy/service/planner-protocol.js';
import type { Run } from '../../src/deploy/service/run-record.js';
import { useOnce } from '../support/fixture.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { beforeChanges } from './changes.js';
import { MAIN, portOf } from './processes.js';
import { callDeploy, makeFolders, otherWorkers, small, TestDeploy } from './service-support.js';

const KILL_AT = new URL('kill-at.js', import.meta.url).href;
/** More writes than a run of these tests has. */
const WRITES_MAX = 40;

describe('deploy: a service that is killed', function () {
  this.timeout(240_000);
  const folder = useTempFolderOnce('deploy-killed');
  /** A service with a cluster that is in force, and the wish for another number of workers. */
  const base = useOnce(() => join(folder(), 'base'));
  let plan: StoredPlan;

  before(async () => {
    const deploy = await TestDeploy.start(base());
    await deploy.putSpec(small);
    await deploy.succeed('first');
    await deploy.putSpec(otherWorkers);
    plan = await deploy.plan();
    await deploy.close();
  });

  /**
   * Goes on in a folder as a service left it that was killed.
   *
   * @returns how the run ended; undefined where its journal was not written yet
   */
  async function goOn(left: string): Promise<Run['state'] | undefined> {
    const deploy = await TestDeploy.start(left);
    try {
      const { json } = await deploy.call('GET', '/v1/history');
      // The first one has made the cluster.
      const state = json.runs.length > 1 ? json.runs[0]?.state : undefined;
      if (state !== 'succeeded') {
        const { json: again } = await deploy.apply(plan, 'again');
        expect((await deploy.ended(again.run_id)).state).to.equal('succeeded');
      }
      for (const node of ['node1', 'node2']) {
        const conf = await deploy.installed(node, 'etc/swift/proxy-server.conf');
        expect(conf).to.contain('workers = 5\n');
      }
      expect(await deploy.nodeStates()).to.deep.equal(Array(4).fill('in_sync'));
      return state;
    } finally {
      await deploy.close();
    }
  }

  it('is whole again wherever a file of a node was about to be put in place', async () => {
    const own = join(folder(), 'own');
    await cp(base(), own, { recursive: true });
    const deploy = await TestDeploy.start(own);
    const left: string[] = [];
    const end = beforeChanges(join(own, 'nodes'), async (path) => {
      if (!/\/etc\/swift\/(?:proxy-server\.conf|SHA256SUMS)$/.test(path)) return;
      const snapshot = join(folder(), `left-${left.length}`);
      // The disk is now as kill -9 would leave it.
      await cp(own, snapshot, { recursive: true });
      left.push(snapshot);
    });
    const { json } = await deploy.apply(plan, 'killed');
    const run = await deploy.ended(json.run_id).finally(end);
    await deploy.close();
    expect([run.state, left.length]).to.deep.equal(['succeeded', 4]);
    for (const snapshot of left) expect(await goOn(snapshot)).to.equal('partial');
  });

  it('says partial, or has done it, wherever kill -9 meets the write of a journal', async () => {
    const states: (Run['state'] | undefined)[] = [];
    for (let at = 1; at < WRITES_MAX; at++) {
      const left = join(folder(), `killed-${at}`);
      await cp(base(), left, { recursive: true });
      const isKilled = await applyUntilKilled(left, at);
      if (!isKilled) break;
      states.push(await goOn(left));
    }
    // Before its journal is there it has not begun; before its first step it has done nothing.
    const steps = Array<Run['state']>(8).fill('partial');
    expect(states).to.deep.equal([undefined, 'failed', ...steps, 'succeeded']);
  });

  /** @returns whether the service was killed before the run had ended */
  async function applyUntilKilled(left: string, at: number): Promise<boolean> {
    const config = join(left, 'deploy.json');
    await writeFile(config, JSON.stringify(await makeFolders(left)));
    const env = { ...process.env, KILL_FOLDER: join(left, 'state'), KILL_AT: String(at) };
    const args = ['--import', KILL_AT, MAIN, 'deploy', '--config', config];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
    const port = await portOf(child);
    const answers = apply(port, plan).catch(() => undefined);
    const isOver = answers.then(() => child.kill('SIGTERM'));
    const [, signal] = await exited;
    await isOver;
    return signal === 'SIGKILL';
  }
});

/** Applies a plan, and follows the run to its end. */
async function apply(port: number, plan: StoredPlan): Promise<void> {
  const headers = { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': 'killed' };
  const path = `/v1/plans/${plan.id}/apply`;
  const { json } = await callDeploy(port, 'POST', path, { headers });
  await callDeploy(port, 'GET', `/v1/runs/${json.run_id}/events`);
}
