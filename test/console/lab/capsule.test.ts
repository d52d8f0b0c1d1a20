import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Capture } from '../../../console/surfaces/lab/capsule/capture.js';
import type { CapsuleVerdict } from '../../../console/surfaces/lab/capsule/capsules.js';
import type { CapsuleProblem, CaptureMade } from '../../../console/surfaces/lab/capsule/page.js';
import { backendPlace } from '../../../console/surfaces/lab/capsule/subject.js';
import { verifyCapsule } from '../../../src/capsule/verify-capsule.js';
import type { RingData } from '../../../src/ring/ring-data.js';
import { streamed } from '../../capsule/support.js';
import { askStore, job, ok, query, unique, type AskStore } from '../files/support.js';
import { useOnce } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import { removeFolder } from '../../support/temp-folder.js';
import { codeOf, expectRefused, type Answer } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { startRelayedBed } from '../support/store-relay.js';
import { builtRing, clusterFolder } from './support.js';

type Headers = Readonly<Record<string, string>>;

type FakeAnswer = { readonly status: number; readonly headers: Headers } | 'down';

/** Storage servers, each with one device, that answer what a test says. */
class FakeServers {
  /** By device; `down` does not answer. A device that is not here has nothing. */
  answers = new Map<string, FakeAnswer>();
  readonly asked: IncomingHttpHeaders[] = [];

  readonly onRequest: RequestListener = (request, response) => {
    const device = request.url?.split('/')[1] ?? '';
    const answer = this.answers.get(device) ?? { status: 404, headers: {} };
    this.asked.push(request.headers);
    if (answer === 'down') request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end();
  };
}

const T1 = '1700000000.00001';
const T2 = '1700000001.00000';
const data = (timestamp: string, more: Headers = {}) => ({
  status: 200,
  headers: {
    'x-backend-timestamp': timestamp,
    'x-backend-data-timestamp': timestamp,
    etag: '"e"',
    ...more,
  },
});
const tombstone = (timestamp: string) => ({
  status: 404,
  headers: { 'x-backend-timestamp': timestamp },
});

describe('Object Capsule', function () {
  this.timeout(60_000);
  const servers = new FakeServers();
  const server = useOnce(() => serve(servers.onRequest), 'close');
  const folder = useOnce(() => {
    const ring = builtRing();
    const place = { ip: '127.0.0.1', port: server().port };
    const devices = ring.devices.map((device) => device && { ...device, ...place });
    const local: RingData = { ...ring, devices };
    return clusterFolder({ object: local, 'object-1': local });
  }, removeFolder);
  const bed = useOnce(
    () => startRelayedBed({ lab_enabled: true, lab_mutations: true, store_dir: folder() }),
    'close',
  );
  const operator = useOnce(() => bed().login());
  let store: AskStore;
  const container = unique('capsule');

  before(async () => {
    store = await askStore(bed().store);
    expect((await store('PUT', container)).status).to.be.lessThan(300);
  });

  const read = (id: string) => operator().read<Capture>(`/lab/api/capsule/captures/${id}`);
  const capture = async (name: string, more: object = {}): Promise<Capture> => {
    const done = await job(operator(), '/lab/api/capsule/capture', { container, name, ...more });
    expect(done.state, JSON.stringify(done)).to.equal('done');
    return read((done.result as unknown as CaptureMade).id);
  };
  /** Sets the answers of an object's primaries, in their order. */
  const primaries = async (
    name: string,
    answers: readonly (FakeAnswer | undefined)[],
  ): Promise<void> => {
    servers.answers = new Map();
    const { placement } = await capture(name);
    for (const [index, answer] of answers.entries()) {
      const device = placement?.primaries[index]?.device ?? '';
      if (answer !== undefined) servers.answers.set(device, answer);
    }
  };
  const archiveOf = async (id: string, body = '1'): Promise<Buffer> => {
    const path = `/lab/api/capsule/captures/${id}/archive?body=${body}`;
    return (await ok(operator().get(path), 200)).bytes;
  };
  const BYTES = { 'content-type': 'application/octet-stream' };
  const verify = async (bytes: Buffer): Promise<CapsuleVerdict | CapsuleProblem> => {
    const sent = { headers: BYTES, body: bytes };
    return (await ok(operator().send('POST', '/lab/api/capsule/verify', sent), 200)).json();
  };
  const take = (bytes: Buffer, target: Record<string, string>): Promise<Answer> => {
    const path = `/lab/api/capsule/import?${query(target)}`;
    return operator().send('POST', path, { headers: BYTES, body: bytes });
  };
  const imported = async (bytes: Buffer, target: Record<string, string>) => {
    const { job_id: id } = (await ok(take(bytes, target), 202)).json() as { job_id: string };
    for (;;) {
      const view = await operator().read<{
        state: string;
        result: CaptureMade;
        error?: { code: string };
      }>(`/api/jobs/${id}`);
      if (view.state !== 'running' && view.state !== 'queued') return view;
    }
  };

  it('shows what each server has, and judges it', async () => {
    await store('PUT', `${container}/o`, { 'x-object-meta-colour': 'blue' }, 'hello');
    const cases = [
      [[data(T1), data(T1), data(T1)], 'consistent', ['present', 'present', 'present']],
      [[data(T1), data(T1), 'down'], 'under_replicated', ['present', 'present', 'unreachable']],
      [[data(T1), data(T2), data(T2)], 'divergent', ['present', 'present', 'present']],
      [[data(T1), data(T1), undefined], 'under_replicated', ['present', 'present', 'absent']],
      [[data(T1), tombstone(T2), data(T1)], 'divergent', ['present', 'tombstone', 'present']],
      [
        [data(T1), data(T1, { etag: '"f"' }), data(T1)],
        'divergent',
        ['present', 'present', 'present'],
      ],
    ] as const;
    for (const [answers, verdict, states] of cases) {
      await primaries('o', answers);
      const found = await capture('o');
      const rows = found.replicas.filter(({ role }) => role === 'primary');
      expect(rows.map(({ state }) => state)).to.deep.equal(states);
      expect([found.verdict, found.state], found.reasons.join()).to.deep.equal([
        verdict,
        'present',
      ]);
    }
    expect(servers.asked.at(-1)).to.include({ 'x-backend-replication': 'true' });
  });

  it('tells deleted, expired and ghost objects apart', async () => {
    await primaries('gone', [tombstone(T1), tombstone(T1), tombstone(T1)]);
    expect(await capture('gone')).to.include({ state: 'deleted', verdict: 'consistent' });
    const past = { 'x-delete-at': '1700000100' };
    await primaries('gone', [data(T1, past), data(T1, past), data(T1, past)]);
    expect(await capture('gone')).to.include({ state: 'expired', verdict: 'ghost' });
    await primaries('gone', [data(T2), tombstone(T1), tombstone(T1)]);
    expect(await capture('gone')).to.include({ state: 'deleted', verdict: 'ghost' });
    await primaries('gone', []);
    const none = await capture('gone');
    expect(none).to.include({ state: 'absent', verdict: 'nothing' });
    const empty = await verifyCapsule(streamed(await archiveOf(none.id)));
    expect(empty.manifest.object).to.include({ state: 'absent', has_body: false });
  });

  it('knows fragments, and where versions lie', async () => {
    const fragment = (index: number) =>
      data(T1, {
        'x-object-sysmeta-ec-etag': 'whole',
        'x-object-sysmeta-ec-content-length': '5',
        'x-object-sysmeta-ec-frag-index': String(index),
        etag: `"${index}"`,
      });
    await primaries('o', [fragment(0), fragment(1), fragment(2)]);
    const found = await capture('o');
    expect(found.verdict).to.equal('consistent');
    expect(found.replicas.slice(0, 3).map(({ fragment: one }) => one)).to.deep.equal([0, 1, 2]);
    expect(found.replicas[0]).to.include({ etag: 'whole', bytes: 5 });
    expect(found.system).to.include({ 'x-object-sysmeta-ec-etag': 'whole' });
    await primaries('o', [fragment(0), fragment(1), fragment(1)]);
    expect(await capture('o')).to.include({ verdict: 'under_replicated' });
    // ~Timestamp('1700000000.12345').internal of Swift.
    expect(backendPlace('c', 'o', '1700000000.12345')).to.deep.equal({
      container: '\u0000versions\u0000c',
      object: `\u0000o\u00008299999999.87654`,
    });
    expect(backendPlace('c', 'o', null)).to.deep.equal({ container: 'c', object: 'o' });
  });

  it('exports a capsule that is verified, and names the file of a changed byte', async () => {
    const found = await capture('o');
    const bytes = await archiveOf(found.id);
    const { manifest, documents } = await verifyCapsule(streamed(bytes));
    expect(manifest.object).to.include({ container, name: 'o', bytes: 5, has_body: true });
    const metadata = documents.get('metadata.json')?.toString() ?? '';
    expect(metadata).to.include('"x-object-meta-colour":"blue"');
    expect(metadata).not.to.match(/x-trans-id|token/);
    expect(await verify(bytes)).to.include({ valid: true, trusted: true });
    const changed = Buffer.from(bytes);
    changed[changed.indexOf('hello') + 1] = 0x61;
    expect(await verify(changed)).to.deep.include({ valid: false });
    expect(((await verify(changed)) as CapsuleProblem).problem).to.include({
      fault: 'damaged',
      file: 'body',
    });
    const bare = await verifyCapsule(streamed(await archiveOf(found.id, '0')));
    expect(bare.files[0]?.path).to.equal('replicas.json');
  });

  it('exports nothing of an object that has changed since', async () => {
    await store('PUT', `${container}/changing`, {}, 'one');
    const found = await capture('changing');
    await store('PUT', `${container}/changing`, {}, 'two');
    const answer = await operator().get(`/lab/api/capsule/captures/${found.id}/archive`);
    expect(codeOf(answer)).to.equal('conflict');
    expect(answer.text).to.include('changed_during_capture');
  });

  it('writes the object of a capsule again, and says what is other', async () => {
    const bytes = await archiveOf((await capture('o')).id);
    const { state, result } = await imported(bytes, { container, name: 'copy' });
    expect(state).to.equal('done');
    expect((await read(result.id)).differences?.filter(({ same }) => !same)).to.deep.equal([]);
    const copy = await store('GET', `${container}/copy`);
    expect([await copy.text(), copy.headers.get('x-object-meta-colour')]).to.deep.equal([
      'hello',
      'blue',
    ]);
    const again = await imported(bytes, { container, name: 'copy' });
    expect(again).to.have.nested.property('error.code', 'precondition_failed');
    expect((await imported(bytes, { container, name: 'copy', overwrite: '1' })).state).to.equal(
      'done',
    );
    const files = await readdir(join(bed().stateDir, 'lab', 'capsules'));
    expect(files.filter((file) => file.endsWith('.import'))).to.deep.equal([]);
  });

  it('takes static large objects apart, and puts them together', async () => {
    const etags: string[] = [];
    for (const [index, text] of ['first ', 'second'].entries()) {
      const made = await store('PUT', `${container}/parts/${index}`, {}, text);
      etags.push(made.headers.get('etag') ?? '');
    }
    const manifest = [0, 1, 0].map((index) => ({
      path: `/${container}/parts/${index}`,
      etag: etags[index],
    }));
    const query_ = 'multipart-manifest=put';
    const put = await store('PUT', `${container}/large?${query_}`, {}, JSON.stringify(manifest));
    expect(put.status, await put.text()).to.equal(201);
    const bytes = await archiveOf((await capture('large')).id);
    const { files } = await verifyCapsule(streamed(bytes));
    expect(files.slice(0, 3).map(({ path }) => path)).to.deep.equal([
      'segments/00001',
      'segments/00002',
      'slo-manifest.json',
    ]);
    const { state, result } = await imported(bytes, { container, name: 'large-copy' });
    expect(state).to.equal('done');
    expect((await read(result.id)).object.kind).to.equal('static');
    const copy = await store('GET', `${container}/large-copy`);
    expect(await copy.text()).to.equal('first secondfirst ');
    // The name is taken while the segments are written.
    bed().relay.beforeManifest = () => store('PUT', `${container}/raced`, {}, 'theirs');
    const late = await imported(bytes, { container, name: 'raced' });
    expect(late).to.have.nested.property('error.code', 'precondition_failed');
    expect(await (await store('GET', `${container}/raced`)).text()).to.equal('theirs');
  });

  it('writes nothing of a capsule that is not whole', async () => {
    const bytes = await archiveOf((await capture('o')).id);
    bytes[bytes.indexOf('hello')] = 0x61;
    const answer = await take(bytes, { container, name: 'never' });
    await expectRefused(answer, 422, 'unprocessable');
    expect(answer.text).to.include('body: its bytes are not those that were written');
    expect((await store('HEAD', `${container}/never`)).status).to.equal(404);
    const bare = await archiveOf((await capture('o')).id, '0');
    expect(await imported(bare, { container, name: 'never' })).to.have.nested.property(
      'error.code',
      'unprocessable',
    );
  });

  it('says why it cannot ask the servers, and refuses imports where they are off', async () => {
    await using off = await startTestBed({ lab_enabled: true });
    const client = await off.login();
    await (
      await askStore(off.store)
    )('PUT', 'c');
    const body = { container: 'c', name: 'o' };
    const done = await job(client, '/lab/api/capsule/capture', body);
    const { id } = done.result as unknown as CaptureMade;
    const found = await ok(client.get(`/lab/api/capsule/captures/${id}`), 200);
    expect(found.json()).to.include({
      unavailable: 'No ring directory is configured.',
    });
    const refused = await client.send('POST', '/lab/api/capsule/import?container=c&name=o', {
      headers: BYTES,
      body: Buffer.from('x'),
    });
    expect(codeOf(refused)).to.equal('feature_disabled');
    const missing = await job(client, '/lab/api/capsule/capture', { ...body, container: 'no' });
    expect(missing).to.have.property('state', 'failed');
  });
});
