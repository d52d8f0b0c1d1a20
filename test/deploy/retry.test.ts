import { expect } from 'chai';
import { useEach } from '../support/fixture.js';
import { useTempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { endDeploy, otherWorkers, small, TestDeploy, type Answer } from './service-support.js';

const HOUR_MS = 3_600_000;

describe('deploy: retries of a run', function () {
  this.timeout(120_000);
  const folder = useTempFolder('deploy-retry');
  const deploy = useEach(() => TestDeploy.driven(folder()), endDeploy);

  beforeEach(() => deploy().putSpec(small));

  async function retried(id: string, key: string, body: unknown = {}) {
    const { status, text, json } = await deploy().retry(id, key, body);
    expect(status, text).to.equal(202);
    return deploy().ended(json.run_id);
  }

  const codeOf = ({ status, json }: Answer) => [status, json.error.code];

  it('finish what a node that is down has stopped, of which the plan has told', async () => {
    deploy().driver.away.add('node3');
    const plan = await deploy().plan();
    expect(plan.unreachable).to.deep.equal([{ node: 'node3', why: 'no route to host' }]);
    const { json } = await deploy().apply(plan, 'first');
    const partial = await deploy().ended(json.run_id);
    expect([partial.state, partial.message]).to.deep.equal(['partial', 'node3: no route to host']);
    deploy().driver.away.clear();
    deploy().driver.begun.splice(0);
    // The rest may take long: the plan need not be fresh.
    deploy().nowMs += 2 * HOUR_MS;
    const run = await retried(partial.id, 'again');
    expect(run.state, run.message).to.equal('succeeded');
    expect(deploy().driver.begun).to.deep.equal(['node3', 'node4']);
    expect(run).to.include({ retry_of: partial.id, retry_nodes: null, plan_id: plan.id });
    expect(run.steps.slice(0, 4)).to.deep.equal(partial.steps.slice(0, 4));
    expect(run.steps.slice(4).map(({ state }) => state)).to.deep.equal([
      ...['succeeded', 'staged', 'succeeded', 'staged'],
    ]);
    const { json: status } = await deploy().call('GET', '/v1/status');
    // In the order of the specification, and not in that of the runs.
    expect(status.nodes.map(({ node, state }) => `${node} ${state}`)).to.deep.equal([
      ...['node1 in_sync', 'node2 in_sync', 'node3 in_sync', 'node4 in_sync'],
    ]);
    const next = await deploy().plan();
    expect([next.empty, next.unreachable]).to.deep.equal([true, []]);
    const { json: history } = await deploy().call('GET', '/v1/history');
    expect(history.runs.map(({ retry_of: of }) => of)).to.deep.equal([partial.id, null]);
  });

  it('are of the nodes that were asked for, and complete the run once none is left', async () => {
    deploy().driver.failsAt = 'node2';
    const partial = await deploy().deploy('first');
    expect(partial.state).to.equal('partial');
    deploy().driver.failsAt = undefined;
    deploy().driver.begun.splice(0);
    const one = await retried(partial.id, 'one', { nodes: ['node3'] });
    expect(deploy().driver.begun).to.deep.equal(['node3']);
    expect([one.state, one.message]).to.deep.equal(['partial', 'Not retried: node2, node4.']);
    expect(one.steps.map(({ state }) => state)).to.deep.equal([
      ...['succeeded', 'staged', 'cancelled', 'cancelled'],
      ...['succeeded', 'staged', 'cancelled', 'cancelled'],
    ]);
    deploy().driver.failsAt = 'node4';
    const two = await retried(one.id, 'two', { nodes: ['node4', 'node2'] });
    expect([two.state, two.message]).to.deep.equal(['partial', 'node4: no route to host']);
    deploy().driver.failsAt = undefined;
    const three = await retried(two.id, 'three');
    expect([three.state, three.message]).to.deep.equal(['succeeded', '']);
    expect(deploy().driver.begun).to.deep.equal(['node3', 'node2', 'node4', 'node4']);
    const next = await deploy().plan();
    expect(next.empty).to.equal(true);
  });

  it('go on after the service has ended in the middle of one', async () => {
    deploy().driver.failsAt = 'node2';
    const partial = await deploy().deploy('first');
    deploy().driver.failsAt = undefined;
    deploy().driver.waitsAt = 'node3';
    const { json } = await deploy().retry(partial.id, 'killed');
    await until(() => deploy().driver.release !== undefined);
    expect(codeOf(await deploy().retry(json.run_id, 'early'))).to.deep.equal([409, 'conflict']);
    expect(codeOf(await deploy().retry(partial.id, 'other'))).to.deep.equal([423, 'locked']);
    const closed = deploy().close();
    deploy().driver.release?.();
    await closed;
    await deploy().restart();
    deploy().driver.waitsAt = undefined;
    const run = await retried(json.run_id, 'again');
    expect([run.state, run.retry_of]).to.deep.equal(['succeeded', json.run_id]);
  });

  it('are of the last run alone, of nodes that are left, and begin once for one key', async () => {
    deploy().driver.failsAt = 'node3';
    const partial = await deploy().deploy('first');
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
      const answer = await deploy().retry(partial.id, 'wrong', body);
      expect(codeOf(answer), JSON.stringify(body)).to.deep.equal([400, 'invalid_argument']);
    }
    const missing = await deploy().call('POST', `/v1/runs/${partial.id}/retry`, { body: {} });
    expect(codeOf(missing)).to.deep.equal([400, 'invalid_argument']);
    const none = await deploy().retry(`run-${'0'.repeat(24)}`, 'none');
    expect(codeOf(none)).to.deep.equal([404, 'not_found']);
    const done = await deploy().retry(partial.id, 'done', { nodes: ['node3', 'node1', 'node9'] });
    expect(codeOf(done)).to.deep.equal([422, 'unprocessable']);
    expect(done.json.error.details.errors.map(({ path, code }) => `${path} ${code}`)).to.deep.equal(
      ['/nodes/1 not_left', '/nodes/2 not_left'],
    );
    const reused = await deploy().retry(partial.id, 'first');
    expect(codeOf(reused)).to.deep.equal([422, 'idempotency_key_reused']);
    const again = await retried(partial.id, 'second');
    expect(again.state).to.equal('partial');
    expect((await deploy().retry(partial.id, 'second')).json.run_id).to.equal(again.id);
    const other = await deploy().retry(partial.id, 'second', { nodes: ['node3'] });
    expect(codeOf(other)).to.deep.equal([422, 'idempotency_key_reused']);
    expect(codeOf(await deploy().retry(partial.id, 'late'))).to.deep.equal([409, 'plan_stale']);
    deploy().driver.failsAt = undefined;
    await deploy().putSpec(otherWorkers);
    await deploy().succeed('whole');
    expect(codeOf(await deploy().retry(again.id, 'stale'))).to.deep.equal([409, 'plan_stale']);
    const { json } = await deploy().call('GET', '/v1/history');
    expect(codeOf(await deploy().retry(json.runs[0]?.id ?? '', 'no'))).to.deep.equal([
      409,
      'conflict',
    ]);
  });
});
