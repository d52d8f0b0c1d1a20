import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { S3 } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import type { DebtSnapshot } from '../../console/surfaces/lab/debt/debt-watch.js';
import type { ProfileSnapshot } from '../../console/surfaces/lab/profilemap/profile-map.js';
import type { ShadowRunsView } from '../../console/surfaces/lab/shadow/page.js';
import { request } from 'undici';
import { loadLabTool } from '../ops/swift-lab/tools.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { until } from '../support/until.js';
import { removeFolder, useTempFolderOnce } from '../support/temp-folder.js';

const TOOL = join(process.cwd(), 'ops/demo/main.mjs');
const GOLDEN = join(process.cwd(), 'ops/demo/golden.mjs');
/** With RINGWAY_LARGE=1 things are broken in a cluster of its own, and what comes of it is counted. */
const IS_LARGE = process.env.RINGWAY_LARGE === '1';

/** The demo's file for programs: `demo.json`, see ops/demo/main.mjs. */
interface Demo {
  readonly id: string;
  readonly s3: string;
  readonly console: string;
  readonly deploy: string;
  readonly token_file: string;
  readonly login: { readonly account: string; readonly user: string; readonly key: string };
}

describeWith(SWIFT_NEEDS, 'npm run demo', function () {
  this.timeout(240_000);
  const folder = useTempFolderOnce('demo');
  const dir = useOnce(() => join(folder(), 'demo'));
  let child: ChildProcess | undefined;

  after(async () => {
    if (child?.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });

  const start = (tool = TOOL): ChildProcess => {
    const env = { ...process.env, RINGWAY_SWIFT_LAB_STRICT: '1' };
    return spawn(process.execPath, [tool, '--dir', dir()], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };

  it('takes no folder that is not its own', async () => {
    await mkdir(dir());
    await writeFile(join(dir(), 'kept'), 'kept');
    // Other programs may have a file of the name by which a demo is known.
    for (const state of [undefined, '{"id":"demo"}', 'null', '']) {
      if (state !== undefined) await writeFile(join(dir(), 'demo.json'), state);
      child = start();
      const [code] = (await once(child, 'close')) as [number];
      expect(code, state).to.equal(1);
      expect(readFileSync(join(dir(), 'kept'), 'utf8')).to.equal('kept');
    }
    await removeFolder(dir());
  });

  it('leaves nothing when it is interrupted while it starts', async () => {
    child = start();
    const { labProcesses } = await loadLabTool('processes.mjs');
    await until(() => existsSync(join(dir(), 'log', 'deploy.log')));
    const { id } = JSON.parse(readFileSync(join(dir(), 'demo.json'), 'utf8')) as Demo;
    child.kill('SIGINT');
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).to.equal(0);
    expect(labProcesses(id)).to.deep.equal([]);
    expect(existsSync(dir())).to.equal(false);
  });

  it('makes a cluster by Deploy that S3 works on, and takes all of it away', async () => {
    child = start();
    let said = '';
    child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    for await (const line of createInterface({ input: child.stdout! })) {
      said += `${line}\n`;
      if (line.startsWith('Ctrl-C')) break;
    }
    expect(said).to.include('Ctrl-C takes all of it away.');
    const demo = JSON.parse(readFileSync(join(dir(), 'demo.json'), 'utf8')) as Demo;
    const { account, user, key } = demo.login;
    const s3 = new S3({
      endpoint: demo.s3,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: `${account}:${user}`, secretAccessKey: key },
    });
    try {
      await s3.createBucket({ Bucket: 'photos' });
      await s3.putObject({ Bucket: 'photos', Key: 'a', Body: 'picture' });
      const { Body } = await s3.getObject({ Bucket: 'photos', Key: 'a' });
      expect(await Body!.transformToString()).to.equal('picture');
    } finally {
      s3.destroy();
    }
    const { labProcesses } = await loadLabTool('processes.mjs');
    const password = readFileSync(demo.token_file, 'utf8').trim();
    const authorization = `Basic ${Buffer.from(`deploy:${password}`).toString('base64')}`;
    const status = await request(`${demo.deploy}/v1/status`, { headers: { authorization } });
    const { nodes } = (await status.body.json()) as { nodes: { node: string; state: string }[] };
    expect(nodes.map(({ node, state }) => [node, state])).to.deep.equal(
      [1, 2, 3, 4].map((number) => [`node${number}`, 'in_sync']),
    );
    const login = await request(`${demo.console}/api/session`, {
      method: 'POST',
      headers: { origin: demo.console, 'content-type': 'application/json' },
      body: JSON.stringify(demo.login),
    });
    const { features } = (await login.body.json()) as { features: Record<string, boolean> };
    expect(features).to.include({ deploy: true, lab: true, lab_mutations: true, test: true });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const page = async (path: string): Promise<unknown> =>
      (await request(`${demo.console}/lab/api/${path}`, { headers: { cookie } })).body.json();
    const { modes } = (await page('shadow/runs')) as ShadowRunsView;
    expect(modes.filter(({ needs }) => needs !== null)).to.deep.equal([]);
    const { sources } = (await page('profilemap/snapshot?path=put')) as ProfileSnapshot;
    const live = sources.filter((one) => one.state === 'live').map((one) => one.id);
    expect(live).to.deep.equal(['recon_stage', 'filter', 'statsd']);
    const { components } = (await page('debt/snapshot')) as DebtSnapshot;
    expect(components.find((one) => one.id === 'async')).to.include({ state: 'known', count: 0 });
    expect(labProcesses(demo.id)).not.to.have.length(0);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).to.equal(0);
    expect(labProcesses(demo.id)).to.deep.equal([]);
    expect(existsSync(dir())).to.equal(false);
  });

  if (IS_LARGE) {
    it('has as many copies, updates and ghosts as rings and rules say when things break', async function () {
      this.timeout(1_800_000);
      child = start(GOLDEN);
      const said = Promise.all([text(child.stdout!), text(child.stderr!)]);
      await once(child, 'exit');
      const [figures, problem] = await said;
      console.log(figures);
      expect(child.exitCode, problem).to.equal(0);
      expect(existsSync(dir())).to.equal(false);
    });
  }
});
