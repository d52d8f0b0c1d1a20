import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { isOver } from '../../../console/server/runs/run.js';
import type { FaultControl, RevertTools } from '../../../console/surfaces/lab/net/fault.js';
import type { ClientProbes } from '../../../console/surfaces/lab/node/client-probes.js';
import {
  drillKind,
  stopOrder,
  type DrillParams,
} from '../../../console/surfaces/lab/node/drill.js';
import type { DrillView, NodeStatusView } from '../../../console/surfaces/lab/node/drills.js';
import { ringImpact } from '../../../console/surfaces/lab/node/impact.js';
import { LAB } from '../../../console/surfaces/lab/surface.js';
import { Ring } from '../../../src/ring/ring.js';
import { eventually } from '../../support/eventually.js';
import { useOnce } from '../../support/fixture.js';
import type { Answer, ConsoleClient } from '../support/client.js';
import { codeOf, expectRefused } from '../support/client.js';
import { startTestBed, type TestBed } from '../support/console.js';
import { startDrillCluster } from './node-support.js';
import { builtRing } from './support.js';

describe('what would become of the cluster without a node', () => {
  const ring = new Ring(builtRing({ zones: 4, devicesPerZone: 1 }));
  const coding = {
    type: 'liberasurecode_rs_vand',
    dataFragments: 2,
    parityFragments: 1,
    segmentBytes: 1,
    duplicationFactor: 1,
  };
  const away = (...ids: number[]) => (device: { readonly id: number }) => ids.includes(device.id); // prettier-ignore

  it('is counted by partition: three copies bear the loss of one device, and not of two', async () => {
    const copies = { kind: 'replication', replicas: 3 } as const;
    const none = await ringImpact(ring, copies, away());
    expect(none).to.deep.equal({ parts: 64, degraded_parts: 0, write_blocked_parts: 0, read_blocked_parts: 0 }); // prettier-ignore
    // Of four devices, each has three quarters of the partitions.
    const one = await ringImpact(ring, copies, away(0));
    expect(one).to.deep.equal({ parts: 64, degraded_parts: 48, write_blocked_parts: 0, read_blocked_parts: 0 }); // prettier-ignore
    const two = await ringImpact(ring, copies, away(0, 1));
    expect(two).to.deep.include({ write_blocked_parts: 32, read_blocked_parts: 0 });
    const all = await ringImpact(ring, copies, away(0, 1, 2, 3));
    expect(all).to.deep.include({ write_blocked_parts: 64, read_blocked_parts: 64 });
  });

  it('needs one fragment more to write than to read', async () => {
    const coded = { kind: 'erasure_coding', coding } as const;
    const one = await ringImpact(ring, coded, away(0));
    expect(one).to.deep.include({ write_blocked_parts: 48, read_blocked_parts: 0 });
    const two = await ringImpact(ring, coded, away(0, 1));
    expect(two).to.deep.include({ write_blocked_parts: 64, read_blocked_parts: 32 });
  });

  it('has daemons stopped before servers, and nothing that is not storage', () => {
    const given = ['account-server', 'memcached', 'object-server', 'proxy-server', 'object-auditor', 'container-updater', 'container-server']; // prettier-ignore
    expect(stopOrder(given)).to.deep.equal(['object-auditor', 'container-updater', 'object-server', 'container-server', 'account-server']); // prettier-ignore
  });
});

describe('a drill that is cancelled', () => {
  it('keeps its node down for no deletion of what its probes wrote', async () => {
    let isRemoving = false;
    const remove = () => {
      isRemoving = true;
      return new Promise<void>(() => undefined);
    };
    const kind = drillKind({
      look: () => Promise.resolve([]),
      disks: () => Promise.resolve(null),
      tools: {} as unknown as RevertTools,
      now: Date.now,
    });
    const params = { node: 'node1', container: 'lab-node-x' };
    const signal = AbortSignal.abort('cancelled');
    const means = { remove, probe: () => Promise.resolve(true) } as unknown as ClientProbes;
    const fault = { params, signal, means, isResumed: true } as unknown as FaultControl<
      DrillParams,
      ClientProbes
    >;
    expect((await kind.run(fault)).report).to.equal(null);
    expect(isRemoving).to.equal(true);
  });
});

describe('the drill of a node', function () {
  this.timeout(120_000);
  const cluster = useOnce(startDrillCluster, 'close');
  let bed: TestBed;
  let operator: ConsoleClient;
  /** The real clock, and what a test has added. */
  const clock = { offsetMs: 0, get nowMs() { return Date.now() + clock.offsetMs; } }; // prettier-ignore

  beforeEach(async () => {
    clock.offsetMs = 0;
    bed = await startTestBed(cluster().config, clock);
    operator = await bed.login();
  });
  afterEach(() => bed.close());

  const down = (body: object) => operator.post('/lab/api/node/down', body);
  const up = (body: object) => operator.post('/lab/api/node/up', body);
  const status = () => operator.read<NodeStatusView>('/lab/api/node/status');
  const stateOf = async (name: string) =>
    (await status()).nodes.find((node) => node.name === name)?.state;
  const drill = (id: string) => operator.read<DrillView>(`/lab/api/node/drills/${id}`);
  const ended = (id: string) => eventually(() => drill(id), ({ run }) => isOver(run.state)); // prettier-ignore
  const held = (name = 'node2') => eventually(() => stateOf(name), (state) => state === 'held_down'); // prettier-ignore
  const idOf = (answer: Answer) => (answer.json() as { journal_id: string }).journal_id;
  const RUNNING = { 'object-server': 'active', 'container-server': 'active', 'object-replicator': 'active' }; // prettier-ignore
  const STOPPED = { 'object-server': 'inactive', 'container-server': 'inactive', 'object-replicator': 'inactive' }; // prettier-ignore

  it('stops a node, says what it did meanwhile, and starts it before its time', async () => {
    const before = await status();
    expect(before).to.deep.include({ max_held: 1 });
    expect(before.nodes.map(({ name, state, held: by }) => [name, state, by])).to.deep.equal(
      ['node1', 'node2', 'node3', 'node4'].map((name) => [name, 'up', null]),
    );
    expect(before.nodes[0]?.services[1]?.probe?.server_header).to.equal('object-server/2.30.1');
    const answer = await down({ node: 'node2', ttl_secs: 600 });
    expect(answer.status, answer.text).to.equal(202);
    const id = idOf(answer);
    expect(answer.json()).to.deep.include({ node: 'node2', state: 'stopping' });
    expect(answer.json()).to.have.nested.property('impact.safe', true);
    await held();
    expect(await cluster().states('node2')).to.deep.equal(STOPPED);
    expect(await cluster().states('node1')).to.deep.equal(RUNNING);
    const now = (await status()).nodes[1];
    expect(now?.held).to.deep.include({ journal_id: id, actor: 'test:tester' });
    const left = (now?.held?.expires_unix_s ?? 0) - Date.now() / 1000;
    expect(left).to.be.within(400, 601);

    // The second fault, on the same node and on another one.
    await expectRefused(down({ node: 'node2' }), 409, 'already_held');
    await expectRefused(down({ node: 'node3' }), 409, 'another_node_held');
    expect(await cluster().states('node3')).to.deep.equal(RUNNING);

    // Another node is not held, whatever is asked for it.
    expect((await up({ node: 'node3' })).json()).to.deep.equal({ changed: false });
    await eventually(() => drill(id), ({ run }) => (run.detail?.probes ?? 0) > 1); // prettier-ignore
    const started = await up({ journal_id: id });
    expect([started.status, started.json()]).to.deep.equal([202, { journal_id: id, node: 'node2', state: 'starting' }]); // prettier-ignore
    const { run, journal } = await ended(id);
    expect(run).to.deep.include({ state: 'done', error: null });
    expect(run.result?.report?.by).to.equal('console');
    expect(run.result?.report?.outcomes.map(({ text }) => text)).to.deep.equal([
      'container-server on node2 was started',
      'object-server on node2 was started',
      'object-replicator on node2 was started',
    ]);
    expect(run.result).to.deep.include({ phase: 'up', probes_ok: run.result?.probes });
    expect(run.result?.ready_s).to.be.a('number');
    expect(journal.map(({ state }) => state)).to.deep.equal(['armed', 'reverting', 'reverted']);
    expect(await cluster().states('node2')).to.deep.equal(RUNNING);
    expect((await up({ journal_id: id })).json()).to.deep.equal({ changed: false });
    const containers = await operator.get('/api/files/containers?limit=100');
    expect(containers.text).not.to.include('lab-node-');

    // The rest after it, and then a pass of the replicators.
    const soon = await down({ node: 'node3' });
    await expectRefused(soon, 409, 'cooldown');
    expect(Number(soon.headers['retry-after'])).to.be.within(1, 60);
    expect((await status()).nodes[0]?.cooldown_until_unix_s).to.be.a('number');
    clock.offsetMs = 61_000;
    await expectRefused(down({ node: 'node3' }), 409, 'replication_behind');
    cluster().replicatedS = Date.now() / 1000 + 1;
    const next = await down({ node: 'node3', ttl_secs: 600 });
    expect(next.status, next.text).to.equal(202);
    await held('node3');
    await up({ node: 'node3' });
    expect((await ended(idOf(next))).run.state).to.equal('done');
  });

  it('keeps the probes of the one that has begun, where another was asked for at once', async () => {
    const answers = await Promise.all(
      ['node1', 'node2'].map((node) => down({ node, ttl_secs: 600 })),
    );
    expect(answers.map(({ status: code }) => code).sort()).to.deep.equal([202, 409]);
    const id = idOf(answers.find(({ status: code }) => code === 202) ?? expect.fail());
    await eventually(() => drill(id), ({ run }) => (run.detail?.probes ?? 0) > 1); // prettier-ignore
    await up({ journal_id: id });
    expect((await ended(id)).run.state).to.equal('done');
    expect((await operator.get('/api/files/containers?limit=100')).text).not.to.include(
      'lab-node-',
    );
  });

  it('deletes what a drill has left that the end of a console had cut', async () => {
    const user = { 'x-storage-user': 'test:tester', 'x-storage-pass': 'testing' };
    const { headers } = await fetch(bed.store.authUrl, { headers: user });
    const token = { 'x-auth-token': headers.get('x-auth-token') ?? '' };
    const store = headers.get('x-storage-url') ?? '';
    const put = async (path: string, mark: Record<string, string> = {}): Promise<void> => {
      const method = 'PUT';
      const { status } = await fetch(`${store}/${path}`, {
        method,
        headers: { ...token, ...mark },
      });
      expect(status).to.equal(201);
    };
    await put('lab-node-0123abcd', { 'x-container-meta-lab': 'node' });
    await put('lab-node-0123abcd/000001');
    // That of a person, who has named it so.
    await put('lab-node-0123abce');
    const id = idOf(await down({ node: 'node1', ttl_secs: 600 }));
    const names = async () => (await operator.get('/api/files/containers?limit=100')).text;
    await eventually(names, (text) => !text.includes('lab-node-0123abcd'));
    expect(await names()).to.include('lab-node-0123abce');
    await fetch(`${store}/lab-node-0123abce`, { method: 'DELETE', headers: token });
    await held('node1');
    await up({ journal_id: id });
    expect((await ended(id)).run.state).to.equal('done');
  });

  it('starts a node by itself when its time is over', async () => {
    const id = idOf(await down({ node: 'node1', ttl_secs: 10 }));
    const { run } = await ended(id);
    expect(run.state).to.equal('done');
    expect(await cluster().states('node1')).to.deep.equal(RUNNING);
    const over = (run.result?.report?.reverted_unix_s ?? 0) - run.started_unix_s;
    expect(over).to.be.at.least(10);
  });

  it('refuses with a sentence, and changes nothing', async () => {
    const cases: readonly (readonly [object, number, string])[] = [
      [{ node: 'node9' }, 404, 'unknown_node'],
      [{ node: '__proto__' }, 404, 'unknown_node'],
      [{ node: 'node2', ttl_secs: 9 }, 422, 'unprocessable'],
      [{ node: 'node2', ttl_secs: 3601 }, 422, 'unprocessable'],
      [{ node: 'node2', ttl_secs: 10.5 }, 422, 'unprocessable'],
      [{ node: 'node2', ttl_secs: '60' }, 400, 'invalid_argument'],
      [{ node: 'node2', service: 'sshd' }, 400, 'invalid_argument'],
      [{}, 400, 'invalid_argument'],
    ];
    for (const [body, wanted, code] of cases) {
      const answer = await down(body);
      expect([answer.status, codeOf(answer)], JSON.stringify(body)).to.deep.equal([wanted, code]);
    }
    for (const body of [{}, { node: 'node2', journal_id: 'x' }, { journal_id: 'x' }]) {
      expect(codeOf(await up(body)), JSON.stringify(body)).to.equal('invalid_argument');
    }
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect(codeOf(await up({ journal_id: nobody }))).to.equal('not_found');
    expect(codeOf(await up({ node: 'node9' }))).to.equal('unknown_node');
    expect((await up({ node: 'node2' })).json()).to.deep.equal({ changed: false });
    const body = { node: 'node2' };
    const forged = { body, headers: { 'x-csrf-token': undefined } };
    await expectRefused(operator.send('POST', '/lab/api/node/down', forged), 403, 'csrf');
    const member = await bed.login('tester2', 'testing2');
    await expectRefused(member.post('/lab/api/node/down', body), 403, 'forbidden');
    expect(await cluster().states('node2')).to.deep.equal(RUNNING);
    expect(await operator.read('/lab/api/node/drills')).to.have.deep.property('items', []);
  });

  it('takes no node down when a second one is away, unless a lab says so', async () => {
    const [, , , node4] = cluster().nodes;
    if (node4 === undefined) throw new Error('no node');
    const driver = bed.console.service(LAB)?.net.tools.driver;
    for (const name of ['object-server', 'container-server'])
      await driver?.act(node4, name, 'stop');
    try {
      // It is down already.
      await expectRefused(down({ node: 'node4', force: true }), 409, 'conflict');
      await expectRefused(down({ node: 'node2' }), 409, 'unsafe_quorum');
      const impact = await operator.read('/lab/api/node/impact?node=node2');
      expect(impact).to.deep.include({ safe: false, others_away: ['node4'] });
      const forced = await down({ node: 'node2', ttl_secs: 600, force: true });
      expect(forced.status, forced.text).to.equal(202);
      await held();
      await up({ node: 'node2' });
      await ended(idOf(forced));
      // A service that did not run before is not started either.
      expect(await cluster().states('node4')).to.deep.include({ 'object-server': 'inactive' });
    } finally {
      for (const name of ['object-server', 'container-server']) await driver?.act(node4, name, 'start'); // prettier-ignore
    }
  });

  it('starts again what it had stopped when another service cannot be', async () => {
    const file = join(cluster().folder, 'object-server.node2.pid');
    const script = join(cluster().folder, 'service.sh');
    const kept = await readFile(script);
    // Its log cannot be opened: the driver says why, and the net tries again until it can.
    const answer = await down({ node: 'node2', ttl_secs: 600 });
    const id = idOf(answer);
    await held();
    await writeFile(script, 'exit 3\n');
    await up({ node: 'node2' });
    const stuck = await eventually(() => drill(id), ({ run }) => run.state === 'stuck'); // prettier-ignore
    expect(stuck.run.error?.code).to.equal('driver_failed');
    expect(await stateOf('node2')).to.equal('failed');
    await writeFile(script, kept);
    await chmod(file, 0o600);
    expect((await ended(id)).run.state).to.equal('reverted');
    expect(await cluster().states('node2')).to.deep.equal(RUNNING);
  });
});

describe('the drill of a node where it is not offered', () => {
  const cluster = useOnce(() => startDrillCluster(['proxy-server']), 'close');

  const refused = async (config: object, body: object = { node: 'node2' }) => {
    await using bed = await startTestBed({ ...cluster().config, ...config });
    const answer = await (await bed.login()).post('/lab/api/node/down', body);
    const { error } = answer.json() as { error: { details?: { needs?: string } } };
    return [answer.status, codeOf(answer), error.details?.needs];
  };

  it('says what it needs', async () => {
    expect(await refused({ lab_mutations: false })).to.deep.equal([403, 'feature_disabled', 'lab_mutations']); // prettier-ignore
    expect(await refused({ node_driver: 'none' })).to.deep.equal([501, 'unsupported_here', 'node_driver']); // prettier-ignore
    expect(await refused({})).to.deep.equal([409, 'protected_service', undefined]);
    expect(await cluster().states('node2')).to.deep.equal({ 'proxy-server': 'active' });
  });
});
