import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { isOver } from '../../console/server/runs/run.js';
import type { DrillView, NodeStatusView } from '../../console/surfaces/lab/node/drills.js';
import { PathHash } from '../../src/ring/path-hash.js';
import { readRingFile } from '../../src/ring/ring-file.js';
import { Ring } from '../../src/ring/ring.js';
import { readSwiftConf } from '../../src/ring/swift-conf.js';
import { upload } from '../console/files/support.js';
import { codeOf } from '../console/support/client.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { mutationKeys, useConsole, useHealedLab } from './support.js';

/** A guard: servers of Swift take seconds to start on a busy machine. */
const LIMIT_MS = 300_000;
const OBJECTS = 20;

describeWith(SWIFT_NEEDS, 'the drill of a node of a Swift cluster', function () {
  this.timeout(LIMIT_MS);
  const lab = useHealedLab();
  const { operator } = useConsole(() => mutationKeys(lab()));

  const status = async () =>
    (await operator().get('/lab/api/node/status')).json() as NodeStatusView;
  const states = async () => (await status()).nodes.map(({ state }) => state);

  it('acknowledges all writes, leaves copies to handoffs, and one pass brings them home', async () => {
    await eventually(states, (all) => all.every((state) => state === 'up'), 60_000);
    const unsafe = await operator().post('/lab/api/node/down', { node: 'node2' });
    expect([unsafe.status, codeOf(unsafe)], 'two nodes for three copies').to.deep.equal([409, 'unsafe_quorum']); // prettier-ignore
    const container = `drill-${Date.now()}`;
    const made = await operator().send('PUT', '/api/files/container', {
      body: { name: container },
    });
    expect(made.status, made.text).to.equal(204);
    const body = { node: 'node2', ttl_secs: 240, force: true };
    const answer = await operator().post('/lab/api/node/down', body);
    expect(answer.status, answer.text).to.equal(202);
    const { journal_id: id } = answer.json() as { journal_id: string };
    await eventually(states, (all) => all[1] === 'held_down', 60_000);
    const stopped = (await lab().status()).filter(({ health }) => health === 'down');
    expect(stopped.map(({ name }) => name)).to.deep.equal([
      'account-server.node2',
      'container-server.node2',
      'object-server.node2',
    ]);

    const statuses: number[] = [];
    const put = async (name: string) =>
      statuses.push((await upload(operator(), container, name, 'x'.repeat(1024))).status);
    for (let at = 0; at < OBJECTS; at++) await put(String(at));
    expect(
      statuses.every((each) => each === 200 || each === 201),
      statuses.join(),
    ).to.equal(true);

    // The places of each object on devices of node1 that are none of its primaries, but stand in.
    const { data } = await readRingFile(join(lab().state.swiftConf, 'object.ring.gz'));
    const ring = new Ring(data);
    const { salt } = await readSwiftConf(join(lab().state.swiftConf, 'swift.conf'));
    const hashes = new PathHash(salt);
    const places = Array.from({ length: OBJECTS }, (_, at) => {
      const hash = hashes.hex('AUTH_test', container, String(at));
      const part = ring.partition(hash);
      const primaries = ring.primaries(part).map(({ device }) => device);
      const spare = ['d1', 'd2'].filter((device) => !primaries.includes(device));
      return spare.map((device) => {
        const folder = lab().state.devices.find(({ name }) => name === device)?.folder ?? '';
        return join(folder, 'objects', String(part), hash.slice(-3), hash);
      });
    }).flat();
    const copies = async () => {
      const files = await Promise.all(places.map((place) => readdir(place).catch(() => [])));
      return files.filter((names) => names.some((name) => name.endsWith('.data'))).length;
    };
    expect(places.length, 'some objects have one device of node1 alone').to.be.greaterThan(0);
    expect(await copies()).to.equal(places.length);

    expect((await operator().post('/lab/api/node/up', { node: 'node2' })).status).to.equal(202);
    const view = await eventually(
      async () => (await operator().get(`/lab/api/node/drills/${id}`)).json() as DrillView,
      ({ run }) => isOver(run.state),
      120_000,
    );
    expect(view.run.state).to.equal('done');
    expect(view.run.result?.report?.outcomes.every(({ ok }) => ok)).to.equal(true);
    expect(view.run.result?.handoff_copies_max).to.be.a('number');
    expect((await lab().status()).every(({ health }) => health === 'up')).to.equal(true);
    await lab().runOnce('object-replicator');
    expect(await copies()).to.equal(0);
  });
});
