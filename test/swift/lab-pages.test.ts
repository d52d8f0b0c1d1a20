import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DebtSnapshot } from '../../console/surfaces/lab/debt/debt-watch.js';
import type { ProfileSnapshot } from '../../console/surfaces/lab/profilemap/profile-map.js';
import type { ProfileNode } from '../../console/surfaces/lab/profilemap/tree.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useConsole, useHealedLab } from './support.js';

/** A guard: servers are stopped and started on a busy machine. */
const LIMIT_MS = 300_000;
const OBJECTS = 20;

describeWith(SWIFT_NEEDS, 'pages of the Lab over a Swift cluster', function () {
  this.timeout(LIMIT_MS);
  const lab = useHealedLab();
  const { operator } = useConsole(() => ({
    ...{ lab_enabled: true, store_base: lab().state.endpoints[1], recon_interval_s: 1 },
    ...{ auth_url: lab().state.authUrl, store_dir: lab().state.swiftConf },
    cluster_nodes: [1, 2].map((at) => ({ name: `node${at}`, storage_ip: `127.0.0.${at}` })),
  }));
  const token = useOnce(async () => {
    const headers = { 'x-auth-user': 'test:tester', 'x-auth-key': lab().user('test:tester').key };
    const login = await fetch(lab().state.authUrl, { headers });
    return login.headers.get('x-auth-token') ?? '';
  });

  before(async () => {
    expect(await put('')).to.be.oneOf([201, 202]);
  });

  /**
   * PUTs the container, or an object of it.
   * @param lateMs - the body comes so much later than the proxy asks for it
   */
  function put(name: string, body = '', lateMs?: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const target = `${lab().state.endpoints[1] ?? ''}/v1/AUTH_test/lab-pages${name === '' ? '' : `/${name}`}`;
      // The proxy says that it goes on when it reads the body, and not before.
      const expect = lateMs === undefined ? {} : { expect: '100-continue' };
      const headers = { 'x-auth-token': token(), 'content-length': body.length, ...expect };
      const sent = request(target, { method: 'PUT', headers }, (answer) => {
        answer.resume().once('end', () => {
          resolve(answer.statusCode ?? 0);
        });
      });
      sent.once('error', reject);
      if (lateMs === undefined) sent.end(body);
      else sent.once('continue', () => setTimeout(() => sent.end(body), lateMs));
    });
  }

  async function putAll(prefix: string): Promise<void> {
    for (let at = 0; at < OBJECTS; at++) {
      expect(await put(`${prefix}${at}`, 'x'.repeat(1000))).to.equal(201);
    }
  }

  const snapshot = async (): Promise<DebtSnapshot> =>
    (await operator().get('/lab/api/debt/snapshot')).json();
  const part = ({ components }: DebtSnapshot, id: string) =>
    components.find((one) => one.id === id)!;

  it('shows debt while an object server is away, and less when it is back', async () => {
    await lab().runOnce('object-replicator');
    const calm = await eventually(snapshot, (one) => part(one, 'lag').state === 'known', LIMIT_MS);
    expect([part(calm, 'missing').count, calm.unhealthy_ratio]).to.deep.equal([0, 0]);
    await lab().stopServices('object-server.node2');
    await putAll('away');
    const owed = await eventually(
      snapshot,
      (one) => (part(one, 'missing').count ?? 0) > 0 && one.unhealthy_ratio > 0,
      LIMIT_MS,
    );
    expect(owed.debt_s).to.be.greaterThan(calm.debt_s ?? Infinity);
    expect(owed.drivers.join()).to.include('object servers or nodes are down');
    await lab().startServices('object-server.node2');
    await lab().runOnce('object-replicator');
    const paid = await eventually(snapshot, (one) => part(one, 'missing').count === 0, LIMIT_MS);
    expect(paid.debt_s).to.be.lessThan(owed.debt_s ?? 0);
  });

  it('counts an update for each PUT without a container server, and measures who pays them', async () => {
    const servers = ['container-server.node1', 'container-server.node2'];
    await lab().runOnce('object-updater');
    await lab().runOnce('recon-cron');
    const calm = await eventually(snapshot, (one) => part(one, 'async').count === 0, LIMIT_MS);
    expect(part(calm, 'async')).to.include({ debt_s: 0, state: 'known' });
    await put('warm', 'x');
    await lab().stopServices(servers[1] ?? '');
    await putAll('late');
    await lab().runOnce('recon-cron');
    const owed = await eventually(
      snapshot,
      (one) => (part(one, 'async').count ?? 0) >= OBJECTS,
      LIMIT_MS,
    );
    expect(part(owed, 'async').debt_s).to.be.greaterThan(0);
    await lab().startServices(...servers);
    await lab().runOnce('object-updater');
    await lab().runOnce('recon-cron');
    const paid = await eventually(snapshot, (one) => part(one, 'async').count === 0, LIMIT_MS);
    const { rate, rate_source: source, debt_s: left } = part(paid, 'async');
    expect([source, left]).to.deep.equal(['measured', 0]);
    expect(rate).to.be.greaterThan(0);
  });

  it('shows 50 ms that a body comes late in the stage of the proxy that waits for it', async () => {
    const file = join(lab().state.swiftConf, 'proxy-2.conf');
    const text = await readFile(file, 'utf8');
    const stages = join(lab().state.dir, 'run', 'stages-of-a-test');
    const mark = '[filter:ringway]\n';
    await writeFile(file, text.replace(mark, `${mark}stage_file = ${stages}\n`));
    try {
      await lab().stopServices('proxy-2');
      await lab().startServices('proxy-2');
      const at = async (lateMs?: number): Promise<Map<string, ProfileNode>> => {
        const marked = await operator().post('/lab/api/profilemap/marks', {});
        const { id }: { id: string } = marked.json();
        for (let count = 0; count < 5; count++) await put(`timed${count}`, 'x', lateMs);
        const answer = await operator().get(`/lab/api/profilemap/snapshot?path=put&from=${id}`);
        const { root, sources }: ProfileSnapshot = answer.json();
        expect(sources.find((one) => one.id === 'filter')?.state).to.equal('live');
        return nodesOf(root);
      };
      const [calm, late] = [await at(), await at(50)];
      for (const found of [calm, late]) {
        for (const name of ['filter', 'middleware', 'guard', 'proxy_server', 'send_body']) {
          expect(found.get(`swift.proxy.${name}`)?.count, name).to.equal(5);
        }
      }
      const wait = late.get('swift.proxy.read_body')?.mean_ms ?? 0;
      // A timer may fire a moment early.
      expect(wait).to.be.greaterThan(45);
      expect(wait).to.be.greaterThan(calm.get('swift.proxy.read_body')?.mean_ms ?? Infinity);
    } finally {
      await writeFile(file, text);
      await lab().stopServices('proxy-2');
      await lab().startServices('proxy-2');
    }
  });
});

function nodesOf(root: ProfileNode): Map<string, ProfileNode> {
  const found = new Map([[root.id, root]]);
  for (const child of root.children) for (const [id, one] of nodesOf(child)) found.set(id, one);
  return found;
}
