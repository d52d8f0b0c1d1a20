import { expect } from 'chai';
import { isOver } from '../../console/server/runs/run.js';
import type { ChaosWholeRun } from '../../console/surfaces/lab/chaos/chaos-runs.js';
import { netOf } from '../../console/surfaces/lab/net/fault-net.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { mutationKeys, useConsole, useHealedLab } from './support.js';

/** A guard: servers and daemons of Swift take seconds to start on a busy machine. */
const LIMIT_MS = 300_000;

describeWith(SWIFT_NEEDS, 'the Chaos Arcade over a Swift cluster', function () {
  this.timeout(LIMIT_MS);
  const lab = useHealedLab();
  const { operator } = useConsole(() => mutationKeys(lab()));

  it('takes a copy away, sees replicators bring it back, verifies that, and keeps score', async () => {
    const target = 'replica-0';
    const request = { fault: 'remove_replica', target, params: { mode: 'marked' }, ttl_s: 120, confirm: target }; // prettier-ignore
    const started = await operator().post('/lab/api/chaos/runs', request);
    expect(started.status, started.text).to.equal(202);
    const { id }: { id: string } = started.json();
    const second = await operator().post('/lab/api/chaos/runs', request);
    expect(second.json()).to.have.nested.property('error.code', 'fault_active');
    const run = await eventually(
      async (): Promise<ChaosWholeRun> =>
        (await operator().get(`/lab/api/chaos/runs/${id}`)).json(),
      ({ state }) => isOver(state),
      LIMIT_MS,
    );
    expect(run.state, JSON.stringify(run.error)).to.equal('done');
    const { result } = run;
    expect(result?.phases.map(({ phase }) => phase)).to.deep.equal(
      ['preflight', 'steady', 'inject', 'observe', 'revert', 'repair', 'over'],
    ); // prettier-ignore
    expect(result?.checks.filter(({ is_ok: isOk }) => !isOk)).to.deep.equal([]);
    expect(result).to.deep.include({ abort: null, deadline_unix_s: null });
    expect(result?.repair).to.include({ is_repaired: true, text: 'All replicas are intact.' });
    expect(result?.score?.total).to.be.within(1, 100);
    expect(result?.held?.n).to.be.greaterThan(0);
    const report = netOf(run.evidence)?.report;
    expect(report?.by).to.equal('console');
    expect(report?.outcomes.map(({ text }) => text)).to.deep.equal([
      'Replicators had already created a new replica.',
    ]);
    const soon = await operator().post('/lab/api/chaos/runs', request);
    expect([soon.status, soon.json()], 'a rest').to.have.nested.property('[1].error.code', 'cooldown'); // prettier-ignore
  });
});
