import { expect } from 'chai';
import type { ChaosCatalogueView } from '../../../console/surfaces/lab/chaos/page.js';
import type { ChaosWholeRun } from '../../../console/surfaces/lab/chaos/chaos-runs.js';
import type { Impact } from '../../../console/surfaces/lab/node/impact.js';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import type { Answer } from '../support/client.js';
import { REAL_CLOCK, startTestBed } from '../support/console.js';
import { startServedNode } from './chaos-support.js';

const TARGET = 'node1/container-server';
const fault = (given: object = {}): object => ({
  // One server has all copies here.
  ...{ fault: 'stop_service', target: TARGET, confirm: TARGET, ttl_s: 60, force: true },
  params: { hold_s: 30 },
  ...given,
});
const codeOf = (answer: Answer): readonly [number, string] => {
  const { error } = answer.json() as { error: { code: string } };
  return [answer.status, error.code];
};

describe('the Chaos Arcade', function () {
  this.timeout(120_000);
  const node = useOnce(startServedNode, 'close');
  const bed = useOnce(() => startTestBed(node().config, REAL_CLOCK), 'close');
  const operator = useOnce(() => bed().login());

  it('refuses what no fault may be, and changes nothing', async () => {
    const cases: readonly (readonly [object, number, string])[] = [
      [fault({ fault: 'meteor' }), 404, 'not_found'],
      [fault({ fault: 'slow_disk' }), 501, 'unsupported_here'],
      [fault({ fault: 'corrupt_replica', target: 'replica-0' }), 501, 'unsupported_here'],
      [fault({ ttl_s: 9 }), 422, 'unprocessable'],
      [fault({ ttl_s: 901 }), 422, 'unprocessable'],
      [fault({ target: 'node9/object-server', confirm: 'node9/object-server' }), 422, 'unprocessable'], // prettier-ignore
      [fault({ target: 'node1/console', confirm: 'node1/console' }), 422, 'unprocessable'],
      [fault({ confirm: 'node1' }), 412, 'precondition_failed'],
      [fault({ fault: 'pause_node', params: { mode: 'forever' } }), 422, 'unprocessable'],
      [fault({ params: { hold_s: 0 } }), 400, 'invalid_argument'],
      [fault({ more: 1 }), 400, 'invalid_argument'],
      [fault({ force: false }), 409, 'unsafe_quorum'],
      [
        fault({ fault: 'pause_node', force: false, params: { mode: 'full' } }),
        409,
        'unsafe_quorum',
      ],
    ];
    for (const [body, status, code] of cases) {
      const answer = await operator().post('/lab/api/chaos/runs', body);
      expect(codeOf(answer), JSON.stringify(body)).to.deep.equal([status, code]);
    }
    const { error } = (await operator().post('/lab/api/chaos/runs', fault({ fault: 'slow_disk' }))).json() as { error: { details: { needs: string } } }; // prettier-ignore
    expect(error.details.needs).to.include('dm-delay');
    const unsafe = (await operator().post('/lab/api/chaos/runs', fault({ force: false }))).json() as { error: { message: string; details: { impact: Impact } } }; // prettier-ignore
    expect(unsafe.error.message).to.equal('Without container-server on node1, 16 partitions lose their write quorum of primaries, and 16 cannot be read from primaries.'); // prettier-ignore
    expect(unsafe.error.details.impact.rings.map(({ ring }) => ring)).to.deep.equal(['container']);
    const member = await bed().login('tester2', 'testing2');
    expect(codeOf(await member.post('/lab/api/chaos/runs', fault()))[0]).to.equal(403);
    const forged = await operator().send('POST', '/lab/api/chaos/runs', {
      body: fault(),
      headers: { 'x-csrf-token': undefined },
    });
    expect(codeOf(forged)).to.deep.equal([403, 'csrf']);
    const listed = await operator().read<{ items: unknown[] }>('/lab/api/chaos/runs');
    expect(listed.items).to.deep.equal([]);
    expect(await node().isServed()).to.equal(true);
  });

  it('stops a server, lets no second fault begin, and puts it back when it is aborted', async () => {
    const started = await operator().post('/lab/api/chaos/runs', fault());
    expect(started.status, started.text).to.equal(202);
    const { id } = started.json() as { id: string };
    const read = () => operator().read<ChaosWholeRun>(`/lab/api/chaos/runs/${id}`);
    expect(codeOf(await operator().post('/lab/api/chaos/runs', fault()))).to.deep.equal([409, 'fault_active']); // prettier-ignore
    const held = await eventually(read, ({ detail, state }) => detail?.phase === 'observe' || state !== 'active'); // prettier-ignore
    expect(held.detail?.phase, JSON.stringify(held.error)).to.equal('observe');
    expect(await node().isServed()).to.equal(false);
    // Of a fault that was held for no request there is no share of those that succeeded.
    const written = held.detail?.probes?.puts_acknowledged ?? 0;
    await eventually(read, ({ detail }) => (detail?.probes?.puts_acknowledged ?? 0) > written);
    const aborted = await operator().post(`/lab/api/chaos/runs/${id}/abort`, {});
    expect(aborted.status).to.equal(204);
    const over = await eventually(read, ({ state }) => state === 'done');
    expect(await node().isServed()).to.equal(true);
    const { result } = over;
    expect([result?.abort, result?.repair?.is_repaired]).to.deep.equal(['operator', true]);
    expect(result?.score?.total).to.be.within(70, 100);
    expect(result?.probes?.history.wrong).to.equal(0);
    expect(codeOf(await operator().post(`/lab/api/chaos/runs/${id}/abort`, {}))[0]).to.equal(404);
    // Proxies leave out a server that was away for a minute: the next fault would meet that.
    expect(codeOf(await operator().post('/lab/api/chaos/runs', fault()))).to.deep.equal([409, 'cooldown']); // prettier-ignore
    const { items, cooldown_until_unix_s: untilS } = await operator().read<ChaosCatalogueView>('/lab/api/chaos/catalog'); // prettier-ignore
    expect(untilS).to.be.greaterThan(Date.now() / 1000);
    expect(items.find((item) => item.id === 'stop_service')?.needs).to.equal(null);
    const containers = await operator().get('/api/files/containers?limit=100');
    expect(containers.text).not.to.include('lab-chaos-');
  });
});

describe('the Chaos Arcade without lab_mutations', () => {
  it('offers nothing, and does nothing', async () => {
    await using bed = await startTestBed({ lab_enabled: true }, REAL_CLOCK);
    const operator = await bed.login();
    const refused = await operator.post('/lab/api/chaos/runs', fault());
    expect(codeOf(refused)).to.deep.equal([403, 'feature_disabled']);
    const { items } = await operator.read<ChaosCatalogueView>('/lab/api/chaos/catalog');
    expect(items.every(({ needs }) => needs?.includes('lab_mutations, cluster_nodes, store_dir'))).to.equal(true); // prettier-ignore
  });
});
