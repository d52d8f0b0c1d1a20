import { cp, readdir, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Capture } from '../../console/surfaces/lab/capsule/capture.js';
import type { CapsuleVerdict } from '../../console/surfaces/lab/capsule/capsules.js';
import type { CaptureMade } from '../../console/surfaces/lab/capsule/page.js';
import { fragmentBytes } from '../../console/surfaces/lab/policies/storage-cost.js';
import type { LookupView } from '../../console/surfaces/lab/rings/page.js';
import type { ExhibitView, ScanView } from '../../console/surfaces/lab/tombstones/page.js';
import { job, ok } from '../console/files/support.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { useConsole, useHealedLab } from './support.js';

/** A guard: servers are stopped and started on a busy machine. */
const LIMIT_MS = 300_000;
const EC_RING = 'object-2';
const CODING = {
  type: 'liberasurecode_rs_vand',
  dataFragments: 2,
  parityFragments: 1,
  segmentBytes: 1_048_576,
  duplicationFactor: 1,
};
/** They never were. */
const PHANTOMS = ['phantom1', 'phantom2', 'phantom3'];
/** Objects that are deleted while a node is away: their primaries lie in both ways. */
const SPLIT = Array.from({ length: 8 }, (_, index) => `split${index}`);

describeWith(SWIFT_NEEDS, 'objects of a Swift cluster in the Lab', function () {
  this.timeout(LIMIT_MS);
  const folder = useTempFolderOnce('store');
  const lab = useHealedLab();
  const { operator } = useConsole(async () => {
    await cp(lab().state.swiftConf, folder(), { recursive: true });
    const { endpoints, authUrl: auth_url, dir } = lab().state;
    const paths = { store_dir: folder(), node_root: join(dir, 'srv') };
    return { lab_enabled: true, store_base: endpoints[0], auth_url, ...paths };
  });
  let ask: (
    method: string,
    path: string,
    more?: { readonly headers?: Record<string, string>; readonly body?: string },
  ) => Promise<Response>;
  const mark = `lab-objects-${Date.now()}`;
  const [plain, coded, versioned] = [mark, `${mark}-ec`, `${mark}-v`];

  before(async () => {
    const { key } = lab().user('test:tester');
    const login = await fetch(lab().state.authUrl, {
      headers: { 'x-auth-user': 'test:tester', 'x-auth-key': key },
    });
    const token = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' };
    const url = login.headers.get('x-storage-url') ?? '';
    ask = (method, path, { headers = {}, body = null } = {}) =>
      fetch(`${url}/${path}`, { method, body, headers: { ...token, ...headers } });
    for (const [container, headers] of [
      [plain, {}],
      [coded, { 'x-storage-policy': 'ec21' }],
      [versioned, { 'x-versions-enabled': 'true' }],
    ] as const) {
      expect((await ask('PUT', container, { headers })).status).to.be.oneOf([201, 202]);
    }
  });

  const put = async (path: string, body: string, headers: Record<string, string> = {}) => {
    expect((await ask('PUT', path, { body, headers })).status, path).to.equal(201);
  };
  const capture = async (container: string, name: string, more: object = {}): Promise<Capture> => {
    const done = await job(operator(), '/lab/api/capsule/capture', { container, name, ...more });
    expect(done.state, JSON.stringify(done)).to.equal('done');
    const { id } = done.result as unknown as CaptureMade;
    return (await ok(operator().get(`/lab/api/capsule/captures/${id}`), 200)).json();
  };
  /** Exports a capture, and verifies what comes. */
  const sealed = async ({ id }: Capture): Promise<CapsuleVerdict> => {
    const path = `/lab/api/capsule/captures/${id}/archive?body=1`;
    const body = (await ok(operator().get(path), 200)).bytes;
    const sent = { headers: { 'content-type': 'application/octet-stream' }, body };
    return (await ok(operator().send('POST', '/lab/api/capsule/verify', sent), 200)).json();
  };
  const lookup = async (ring: string, container: string, name: string): Promise<LookupView> => {
    const place = `account=AUTH_test&container=${container}&object=${name}`;
    return (await ok(operator().get(`/lab/api/rings/${ring}/lookup?${place}`), 200)).json();
  };
  const states = ({ replicas }: Capture) =>
    replicas.filter(({ role }) => role === 'primary').map(({ state }) => state);

  it('has capsules of objects of all kinds, each of which verifies', async () => {
    await put(`${coded}/photo`, 'x'.repeat(1_500_000));
    const fragments = await capture(coded, 'photo');
    expect(fragments).to.include({ state: 'present', verdict: 'consistent' });
    const indexes = fragments.replicas.flatMap(({ fragment }) => fragment ?? []);
    expect(indexes.toSorted()).to.deep.equal([0, 1, 2]);
    expect((await sealed(fragments)).valid).to.equal(true);
    // The files of the fragments have the size that Policy compare says.
    const { primaries } = await lookup(EC_RING, coded, 'photo');
    for (const { device, path } of primaries) {
      const root = lab().state.devices.find(({ name }) => name === device)?.folder ?? '';
      const inner = join(root, path.slice(device.length + 1));
      const file = (await readdir(inner)).find((name) => name.endsWith('.data')) ?? '';
      expect((await stat(join(inner, file))).size).to.equal(fragmentBytes(CODING, 1_500_000));
    }

    await put(`${plain}/part1`, 'a'.repeat(1000));
    const manifest = JSON.stringify([{ path: `/${plain}/part1` }, { data: 'Yg==' }]);
    const large = await ask('PUT', `${plain}/large?multipart-manifest=put`, { body: manifest });
    expect(large.status).to.equal(201);
    const slo = await capture(plain, 'large');
    expect(slo).to.include({ state: 'present', verdict: 'consistent' });
    const { manifest: sealedSlo, files } = await sealed(slo);
    expect(sealedSlo.object.kind).to.equal('static');
    expect(files.map(({ path }) => path)).to.include('slo-manifest.json');

    await put(`${plain}/gone`, 'x');
    expect((await ask('DELETE', `${plain}/gone`)).status).to.equal(204);
    const gone = await capture(plain, 'gone');
    expect(gone).to.include({ state: 'deleted', verdict: 'consistent' });
    expect(states(gone)).to.deep.equal(['tombstone', 'tombstone', 'tombstone']);
    expect((await sealed(gone)).manifest.object.state).to.equal('deleted');

    await put(`${versioned}/text`, 'first');
    const { headers } = await ask('HEAD', `${versioned}/text`);
    const first = headers.get('x-object-version-id') ?? '';
    await put(`${versioned}/text`, 'second');
    const former = await capture(versioned, 'text', { version_id: first });
    expect(former).to.include({ state: 'present', verdict: 'consistent' });
    expect(states(former)).to.deep.equal(['present', 'present', 'present']);
    expect((await sealed(former)).manifest.object).to.include({ version_id: first, bytes: 5 });

    await put(`${plain}/expires`, 'x', { 'x-delete-after': '1' });
    await eventually(
      async () => (await ask('GET', `${plain}/expires`)).status,
      (status) => status === 404,
      LIMIT_MS,
    );
    const expired = await capture(plain, 'expires');
    expect(expired).to.include({ state: 'expired', verdict: 'ghost' });
    expect((await sealed(expired)).manifest.object.state).to.equal('expired');
  });

  const scanned = async (): Promise<string> => {
    const started = await ok(operator().post('/lab/api/tombstones/scans', {}), 202);
    const { id }: { id: string } = started.json();
    const { scan } = await eventually(
      async (): Promise<ScanView> =>
        (await ok(operator().get(`/lab/api/tombstones/scans/${id}`), 200)).json(),
      (view) => view.scan.ended_unix_s !== null,
      LIMIT_MS,
    );
    expect(scan.state, JSON.stringify(scan.error)).to.equal('done');
    return id;
  };
  const classesIn = async (id: string, name: string): Promise<string[]> => {
    const { hash } = await lookup('object', plain, name);
    const path = `/lab/api/tombstones/scans/${id}/${hash}`;
    const { exhibit }: ExhibitView = (await ok(operator().get(path), 200)).json();
    expect(exhibit.name).to.equal(`/AUTH_test/${plain}/${name}`);
    return exhibit.classes.map(({ class: one }) => one);
  };

  it('has tombstones of each class, made as they come about', async () => {
    await put(`${plain}/normal`, 'x');
    expect((await ask('DELETE', `${plain}/normal`)).status).to.equal(204);
    for (const name of PHANTOMS) {
      expect((await ask('DELETE', `${plain}/${name}`)).status).to.equal(404);
    }
    // The expirer deletes what the test before has let expire.
    await lab().runOnce('updater');
    await lab().runOnce('expirer');
    for (const name of SPLIT) await put(`${plain}/${name}`, 'x');
    await put(`${plain}/held`, 'x');
    await lab().stopServices('object-server.node2');
    const held = await capture(plain, 'held');
    expect(held).to.include({ state: 'present', verdict: 'under_replicated' });
    expect(states(held)).to.include.members(['present', 'unreachable']);
    for (const name of SPLIT) await ask('DELETE', `${plain}/${name}`);
    await lab().startServices('object-server.node2');
    // As the reconciler deletes: with an offset of the time.
    const moved = await lookup('object', plain, 'moved');
    for (const { ip, port, device } of moved.primaries) {
      const path = `/${device}/${moved.part}/AUTH_test/${plain}/moved`;
      const time = (Date.now() / 1000).toFixed(5);
      await tombstone({ host: ip, port, path }, `${time}_0000000000000001`);
    }

    const id = await scanned();
    const classesOf = (name: string) => classesIn(id, name);
    expect(await classesOf('normal')).to.deep.equal(['normal']);
    // A clock that is set back in between makes a folder look older than what it was made for.
    const phantoms = await Promise.all(PHANTOMS.map(classesOf));
    expect(phantoms.flat()).to.include('phantom');
    expect(await classesOf('expires')).to.include('expired');
    expect(await classesOf('moved')).to.include('reconciler');
    const split = await Promise.all(SPLIT.map(classesOf));
    for (const classes of split) expect(classes).to.include('split');
    expect(split.flat()).to.include('handoff');
    // All tombstones are overdue a second after the deletion; no server of the cluster reads this.
    await writeFile(join(folder(), 'object-server.conf'), '[DEFAULT]\nreclaim_age = 1\n');
    expect(await classesIn(await scanned(), 'normal')).to.deep.equal(['overdue']);
  });
});

/** Deletes on one object server, at a time of our own. */
function tombstone(place: { host: string; port: number; path: string }, time: string) {
  return new Promise<void>((resolve, reject) => {
    const headers = { 'x-timestamp': time, 'x-backend-storage-policy-index': '0' };
    const sent = request({ ...place, method: 'DELETE', headers, agent: false }, (answer) => {
      answer.resume().once('end', () => {
        resolve();
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}
