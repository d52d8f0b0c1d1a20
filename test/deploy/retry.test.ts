import { join } from 'node:path';
import { expect } from 'chai';
import { LocalDriver } from '../../src/deploy/drivers/local.js';
import { useTempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { otherWorkers, small, TestDeploy, TestDriver, type Answer } from './service-support.js';

const HOUR_MS = 3_600_000;

describe('deploy: retries of a run', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy-retry');
  let deploy: TestDeploy;
  let driver: TestDriver;
  let nowMs = 1_700_000_000_000;

  beforeEach(async () => {
    driver = new TestDriver(new LocalDriver(join(folder(), 'nodes')));
    deploy = await TestDeploy.start(folder(), { driver, now: () => nowMs });
    await deploy.putSpec(small);
  });

  afterEach(async () => {
    driver.release?.();
    await deploy.close();
  });

  function retry(id: string, key: string, body: unknown = {}): Promise<Answer> {
    const headers = { 'idempotency-key': key };
    return deploy.call('POST', `/v1/runs/${id}/retry`, { body, headers });
  }

  async function retried(id: string, key: string, body: unknown = {}) {
    const { status, text, json } = await retry(id, key, body);
    expect(status, text).to.equal(202);
    return deploy.ended(json.run_id);
  }

  const codeOf = ({ status, json }: Answer) => [status, json.error.code];

  it('finish what a node that is down has stopped, of which the plan has told', async () => {
    driver.away.add('node3');
    const { json: plan } = await deploy.call('POST', '/v1/plans', { body: {} });
    expect(plan.unreachable).to.deep.equal([{ node: 'node3', why: 'no route to host' }]);
    const { json } = await deploy.apply(plan, 'first');
    const partial = await deploy.ended(json.run_id);
    expect([partial.state, partial.message]).to.deep.equal(['partial', 'node3: no route to host']);
    driver.away.clear();
    driver.begun.splice(0);
    // The rest may take long: the plan need not be fresh.
    nowMs += 2 * HOUR_MS;
    const run = await retried(partial.id, 'again');
    expect(run.state, run.message).to.equal('succeeded');
    expect(driver.begun).to.deep.equal(['node3', 'node4']);
    expect(run).to.include({ retry_of: partial.id, retry_nodes: null, plan_id: plan.id });
    expect(run.steps.slice(0, 4)).to.deep.equal(partial.steps.slice(0, 4));
    expect(run.steps.slice(4).map(({ state }) => state)).to.deep.equal([
      ...['succeeded', 'staged', 'succeeded', 'staged'],
    ]);
    const { json: status } = await deploy.call('GET', '/v1/status');
    // In the order of the specification, and not in that of the runs.
    expect(status.nodes.map(({ node, state }) => `${node} ${state}`)).to.deep.equal([
      ...['node1 in_sync', 'node2 in_sync', 'node3 in_sync', 'node4 in_sync'],
    ]);
    const { json: next } = await deploy.call('POST', '/v1/plans', { body: {} });
    expect([next.empty, next.unreachable]).to.deep.equal([true, []]);
    const { json: history } = await deploy.call('GET', '/v1/history');
    expect(history.runs.map(({ retry_of: of }) => of)).to.deep.equal([partial.id, null]);
  });

  it('are of the nodes that were asked for, and complete the run once none is left', async () => {
    driver.failsAt = 'node2';
    const partial = await deploy.deploy('first');
    expect(partial.state).to.equal('partial');
    driver.failsAt = undefined;
    driver.begun.splice(0);
    const one = await retried(partial.id, 'one', { nodes: ['node3'] });
    expect(driver.begun).to.deep.equal(['node3']);
    expect([one.state, one.message]).to.deep.equal(['partial', 'Not retried: node2, node4.']);
    expect(one.steps.map(({ state }) => state)).to.deep.equal([
      ...['succeeded', 'staged', 'cancelled', 'cancelled'],
      ...['succeeded', 'staged', 'cancelled', 'cancelled'],
    ]);
    driver.failsAt = 'node4';
    const two = await retried(one.id, 'two', { nodes: ['node4', 'node2'] });
    expect([two.state, two.message]).to.deep.equal(['partial', 'node4: no route to host']);
    driver.failsAt = undefined;
    const three = await retried(two.id, 'three');
    expect([three.state, three.message]).to.deep.equal(['succeeded', '']);
    expect(driver.begun).to.deep.equal(['node3', 'node2', 'node4', 'node4']);
    const { json: next } = await deploy.call('POST', '/v1/plans', { body: {} });
    expect(next.empty).to.equal(true);
  });

  it('go on after the service has ended in the middle of one', async () => {
    driver.failsAt = 'node2';
    const partial = await deploy.deploy('first');
    driver.failsAt = undefined;
    driver.waitsAt = 'node3';
    const { json } = await retry(partial.id, 'killed');
    await until(() => driver.release !== undefined);
    expect(codeOf(await retry(json.run_id, 'early'))).to.deep.equal([409, 'conflict']);
    expect(codeOf(await retry(partial.id, 'other'))).to.deep.equal([423, 'locked']);
    const closed = deploy.close();
    driver.release?.();
    await closed;
    deploy = await TestDeploy.start(folder(), { now: () => nowMs });
    const run = await retried(json.run_id, 'again');
    expect([run.state, run.retry_of]).to.deep.equal(['succeeded', json.run_id]);
  });

  it('are of the last run alone, of nodes that are left, and begin once for one key', async () => {
    driver.failsAt = 'node3';
    const partial = await deploy.deploy('first');
    for (const body of [
      { node: 'node3' },
      { nodes: 'node3' },
      { nodes: [] },
      { nodes: [3] },
      { nodes: ['node3', 'node3'] },
      { nodes: Array.from({ length: 1025 }, (_, at) => `node${at}`) },
      { spec: small },
      '{',
    ]) {
      const answer = await retry(partial.id, 'wrong', body);
      expect(codeOf(answer), JSON.stringify(body)).to.deep.equal([400, 'invalid_argument']);
    }
    const missing = await deploy.call('POST', `/v1/runs/${partial.id}/retry`, { body: {} });
    expect(codeOf(missing)).to.deep.equal([400, 'invalid_argument']);
    const none = await retry(`run-${'0'.repeat(24)}`, 'none');
    expect(codeOf(none)).to.deep.equal([404, 'not_found']);
    const done = await retry(partial.id, 'done', { nodes: ['node3', 'node1', 'node9'] });
    expect(codeOf(done)).to.deep.equal([422, 'unprocessable']);
    expect(done.json.error.details.errors.map(({ path, code }) => `${path} ${code}`)).to.deep.equal(
      ['/nodes/1 not_left', '/nodes/2 not_left'],
    );
    const reused = await retry(partial.id, 'first');
    expect(codeOf(reused)).to.deep.equal([422, 'idempotency_key_reused']);
    const again = await retried(partial.id, 'second');
    expect(again.state).to.equal('partial');
    expect((await retry(partial.id, 'second')).json.run_id).to.equal(again.id);
    const other = await retry(partial.id, 'second', { nodes: ['node3'] });
    expect(codeOf(other)).to.deep.equal([422, 'idempotency_key_reused']);
    expect(codeOf(await retry(partial.id, 'late'))).to.deep.equal([409, 'plan_stale']);
    driver.failsAt = undefined;
    await deploy.putSpec(otherWorkers);
    expect((await deploy.deploy('whole')).state).to.equal('succeeded');
    expect(codeOf(await retry(again.id, 'stale'))).to.deep.equal([409, 'plan_stale']);
    const { json } = await deploy.call('GET', '/v1/history');
    expect(codeOf(await retry(json.runs[0]?.id ?? '', 'no'))).to.deep.equal([409, 'conflict']);
  });
});
