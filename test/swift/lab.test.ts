import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { loadLabTool } from '../ops/swift-lab/tools.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { runTool, startSwiftLab, SWIFT_NEEDS, type SwiftLab } from '../support/swift-lab.js';
import { makeTempFolder, removeFolder, useTempFolderOnce } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { skipBecause } from '../support/skip.js';

/** For mkfs.xfs no smaller ones will do. */
const DEVICE_BYTES = 300 * 2 ** 20;

/** All that other suites go without. */
const ALL = ['--nodes', '3', '--tls', '--shard-rows', '20', '--storage-workers', '2'];

/** The remains that `down --wipe` must not leave behind. */
async function remains(dir: string, id: string): Promise<object> {
  const { labProcesses } = await loadLabTool('processes.mjs');
  return {
    processes: labProcesses(id).map(({ service }) => service),
    mounts: readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((l) => l.includes(dir)),
    folder: existsSync(dir),
  };
}

/** Of all processes of this machine. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        // It has ended.
        return [];
      }
    });
}

const NOTHING = { processes: [], mounts: [], folder: false };

interface Login {
  readonly url: string;
  readonly headers: Record<string, string>;
}

async function logIn(lab: SwiftLab): Promise<Login> {
  const { key } = lab.user('test:tester');
  const answer = await fetch(lab.state.authUrl, {
    headers: { 'x-auth-user': 'test:tester', 'x-auth-key': key },
  });
  return {
    url: answer.headers.get('x-storage-url')!,
    headers: { 'x-auth-token': answer.headers.get('x-auth-token')! },
  };
}

describeWith(SWIFT_NEEDS, 'the Swift lab', () => {
  const lab = useOnce(
    () => startSwiftLab({ deviceBytes: DEVICE_BYTES, strict: true, more: ALL }),
    async (lab) => {
      await lab.close();
      expect(await remains(lab.state.dir, lab.state.id)).to.deep.equal(NOTHING);
    },
  );
  let token: Login;

  before(async () => {
    token = await logIn(lab());
  });

  const request = (method: string, path: string, body?: Buffer, more: object = {}) =>
    fetch(`${token.url}/${path}`, { method, headers: { ...token.headers, ...more }, body: body! });

  const healthOf = async (name: string) =>
    (await lab().status()).find((status) => status.name === name)?.health;

  it('leaves nothing of a start that fails', async () => {
    const parent = await makeTempFolder('lab-fails');
    const dir = join(parent, 'lab');
    // Storage servers are up by the time that the proxies cannot read it.
    const sized = ['--device-bytes', String(DEVICE_BYTES)];
    const options = [...sized, '--proxy-option', 'node_timeout=never'];
    const { code, stderr } = await runTool(['up', '--dir', dir, ...options]);
    expect(code, stderr).to.equal(1);
    expect(stderr).to.contain('proxy-');
    const left = commandLines().filter((line) => line.includes(dir));
    const mounts = readFileSync('/proc/self/mounts', 'utf8').includes(dir);
    expect({ left, mounts, folder: existsSync(dir) }).to.deep.equal({
      ...{ left: [], mounts: false, folder: false },
    });
    await removeFolder(parent);
  });

  it('is all up', async () => {
    const statuses = await lab().status();
    expect(statuses).to.have.length(24);
    expect(statuses.filter(({ health }) => health !== 'up')).to.deep.equal([]);
  });

  it('ends TLS in front of the proxies', async () => {
    const ca = readFileSync(lab().state.certFile);
    for (const endpoint of lab().state.tlsEndpoints ?? []) {
      const sent = get(`${endpoint}/healthcheck`, { ca, agent: false });
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      expect([answer.statusCode, await text(answer)]).to.deep.equal([200, 'OK']);
    }
    expect(lab().state.tlsEndpoints).to.have.length(2);
  });

  it('keeps its nodes and its TLS when it is brought up once more', async () => {
    const again = (...more: string[]) => runTool(['up', '--dir', lab().state.dir, ...more]);
    const { code, stderr } = await again('--nodes', '2');
    expect(code).to.equal(1);
    expect(stderr).to.contain('--nodes: this lab was made with 3');
    expect((await again('--no-tls')).stderr).to.contain('--tls: this lab was made with true');
  });

  it('shards containers', async () => {
    await request('PUT', 'many');
    const names = Array.from({ length: 24 }, (_each, index) => `o${10 + index}`);
    for (const name of names) await request('PUT', `many/${name}`, Buffer.from('x'));
    // The name of a database that is sharded ends with the time of that.
    const sharded = () =>
      readdirSync(join(lab().state.dir, 'srv'), { recursive: true, encoding: 'utf8' }).filter(
        (path) => /_\d+\.\d+\.db$/.test(path),
      );
    await eventually(
      () => Promise.resolve(sharded().length),
      (count) => count > 0,
    );
    await eventually(
      async () => (await (await request('GET', 'many')).text()).trimEnd().split('\n'),
      (listed) => listed.join() === names.join(),
    );
  });

  it('keeps objects under every policy', async () => {
    const body = randomBytes(100_000);
    for (const policy of lab().state.policies) {
      const created = await request('PUT', policy, undefined, { 'x-storage-policy': policy });
      expect(created.status).to.equal(201);
      expect((await request('PUT', `${policy}/o`, body)).status).to.equal(201);
      const read = await request('GET', `${policy}/o`);
      expect(Buffer.from(await read.arrayBuffer()).equals(body), policy).to.be.true;
    }
  });

  it('has the filters in the proxies, and s3api in the others', async () => {
    const info = async (url: string) => (await (await fetch(`${url}/info`)).json()) as object;
    for (const endpoint of lab().state.endpoints) {
      expect(await info(endpoint))
        .to.include.keys('ringway', 'slo')
        .and.not.include.keys('s3api');
    }
    for (const endpoint of [lab().state.s3api, lab().state.s3apiAcl]) {
      expect(await info(endpoint))
        .to.include.keys('s3api')
        .and.not.include.keys('ringway');
    }
  });

  it('serves with an object server gone', async () => {
    await lab().killServices('object-server.node2');
    expect(await healthOf('object-server.node2')).to.equal('down');
    expect((await request('PUT', 'gold/missed', Buffer.from('x'))).status).to.equal(201);
    await lab().startServices('object-server.node2');
    expect(await healthOf('object-server.node2')).to.equal('up');
  });

  it('pauses and resumes', async () => {
    await lab().pauseServices('container-server.node1');
    expect(await healthOf('container-server.node1')).to.equal('paused');
    await lab().resumeServices('container-server.node1');
    expect(await healthOf('container-server.node1')).to.equal('up');
  });

  it('takes tokens of every proxy as soon as memcached was restarted', async () => {
    const { key } = lab().user('test:tester');
    const statusWithNewToken = async (endpoint: string): Promise<number> => {
      const login = await fetch(`${endpoint}/auth/v1.0`, {
        headers: { 'x-auth-user': 'test:tester', 'x-auth-key': key },
      });
      const headers = { 'x-auth-token': login.headers.get('x-auth-token')! };
      return (await fetch(`${endpoint}/v1/AUTH_test`, { headers })).status;
    };
    const ask = () => Promise.all(lab().state.endpoints.map(statusWithNewToken));
    expect(await ask()).not.to.include(401);
    await lab().killServices('memcached');
    // After ten errors a proxy does not ask memcached any more, for a while.
    for (let times = 0; times < 10; times++) expect(await ask()).to.deep.equal([401, 401]);
    await lab().startServices('memcached');
    expect(await ask()).not.to.include(401);
    token = await logIn(lab());
  });

  it('expires objects when the updater and the expirer have run', async function () {
    // Four programs are started.
    this.timeout(180_000);
    const expired = await request('PUT', 'gold/brief', Buffer.from('x'), { 'x-delete-after': '1' });
    expect(expired.status).to.equal(201);
    // The account hears of the container that the expirer works through.
    await lab().runOnce('container-updater');
    await eventually(
      () => request('GET', 'gold/brief'),
      ({ status }) => status === 404,
    );
    expect(await lab().runOnce('expirer')).to.match(/1 objects expired/);
  });

  it('fills devices, so that nothing can be stored', async function () {
    if (!lab().canFillDevices) {
      skipBecause(this, 'devices of their own need root and loop devices');
    }
    const devices = lab().state.devices.map(({ name }) => name);
    await lab().fillDevices(...devices);
    expect((await request('PUT', 'gold/full', randomBytes(100_000))).status).to.equal(503);
    await lab().heal();
    const put = () => request('PUT', 'gold/full', randomBytes(100_000));
    await eventually(put, ({ status }) => status === 201);
  });

  it('refuses a service that there is not', async () => {
    const refused = await lab()
      .stopServices('object-server.node9')
      .catch((error: unknown) => error);
    expect(String(refused)).to.include('no service object-server.node9');
  });
});

describeWith(SWIFT_NEEDS, 'a Swift lab whose start is cut short', () => {
  const folder = useTempFolderOnce('swift-lab-crash');
  const dir = useOnce(() => join(folder(), 'lab'));

  /** A start that is under way: its first servers run. */
  async function begin(...more: string[]) {
    const tool = join(process.cwd(), 'ops/swift-lab/main.mjs');
    const args = [tool, 'up', '--dir', dir(), '--device-bytes', String(DEVICE_BYTES), ...more];
    const starting = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    const { labProcesses } = await loadLabTool('processes.mjs');
    const idOf = (): string | undefined =>
      existsSync(join(dir(), 'lab.json'))
        ? (JSON.parse(readFileSync(join(dir(), 'lab.json'), 'utf8')) as { id: string }).id
        : undefined;
    await until(() => labProcesses(idOf() ?? 'none yet').length >= 3);
    return { starting, id: idOf()!, ended: once(starting, 'exit') };
  }

  it('ends its servers itself where somebody has removed its state', async () => {
    const { starting, id, ended } = await begin('--hold');
    await removeFolder(join(dir(), 'lab.json'));
    starting.stdin.end();
    await ended;
    expect(await remains(dir(), id)).to.deep.include({ processes: [], mounts: [] });
    await removeFolder(dir());
  });

  it('is cleaned up by down after a kill, which may be called again', async () => {
    const { starting, id, ended } = await begin();
    starting.kill('SIGKILL');
    await ended;

    for (let times = 1; times <= 2; times++) {
      expect(await runTool(['down', '--wipe', '--dir', dir()])).to.include({ code: 0, stderr: '' });
      expect(await remains(dir(), id)).to.deep.equal(NOTHING);
    }
  });
});
