import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.js';
import { loadDeployConfig } from '../../src/deploy/service/config.js';
import { readConsoleSettings } from '../../supervisor/console-settings.js';
import { callDeploy, makeFolders } from '../deploy/service-support.js';
import { eventually } from '../support/eventually.js';
import { codeOf } from '../support/failure.js';
import { freePort } from '../support/free-port.js';
import { useRuns, type StatusChild, type Supervised } from './support/supervised.js';

const ANY = '127.0.0.1:0';
describe('supervisor: control service of Deploy', () => {
  const runs = useRuns('supervised-deploy');
  let port: number;

  beforeEach(async () => {
    port = await freePort();
    await writeConfig();
  });

  async function writeConfig(deploy: object = {}, config: object = {}): Promise<void> {
    const { folder } = runs();
    const own = { ...(await makeFolders(folder)), listen: `127.0.0.1:${port}`, ...deploy };
    await writeFile(join(folder, 'deploy.json'), JSON.stringify(own));
    const listeners = { listeners: 1, janitor_interval_ms: 0, console_listen: '' };
    await runs().configure({ ...listeners, deploy_config: 'deploy.json', ...config });
  }

  function launch(command = 'start'): Supervised {
    return runs().run([command]);
  }

  const readyz = async (service: Supervised) => (await service.admin('/readyz?verbose')).text();
  const isWell = (text: string) => text.includes('[+] deploy control service: ok');

  async function pidOf(service: Supervised): Promise<number> {
    const isUp = (child: StatusChild | undefined) => child?.state === 'up';
    const find = async () => (await service.children()).find(({ kind }) => kind === 'deploy');
    return (await eventually(find, isUp))?.pid ?? 0;
  }

  it('is started, started again when it is killed, and ended with the service', async () => {
    const service = await launch().ready();
    expect(service.stdout).to.contain(`  Deploy       http://127.0.0.1:${port}/v1\n`);
    const first = await pidOf(service);
    await eventually(() => readyz(service), isWell);
    expect((await callDeploy(port, 'GET', '/v1/status')).json.lock).to.equal(null);
    expect(await service.metric('ringway_deploy_up')).to.equal(1);
    process.kill(first, 'SIGKILL');
    await service.untilMetric(
      'ringway_deploy_restarts_total{reason="signal"}',
      (count) => count === 1,
    );
    expect(await pidOf(service)).not.to.equal(first);
    await eventually(() => readyz(service), isWell);
    expect((await callDeploy(port, 'GET', '/v1/status')).status).to.equal(200);
    expect(await service.terminate()).to.include({ code: 0 });
    expect(await codeOf(callDeploy(port, 'GET', '/v1/status'))).to.equal('ECONNREFUSED');
  });

  it('has the next process take over at a reload, with another configuration', async () => {
    const service = await launch().ready();
    const first = await pidOf(service);
    await eventually(() => readyz(service), isWell);
    port = await freePort();
    await writeConfig();
    expect((await launch('reload').ended).code).to.equal(0);
    expect(await pidOf(service)).not.to.equal(first);
    await eventually(() => readyz(service), isWell);
    expect((await callDeploy(port, 'GET', '/v1/status')).status).to.equal(200);
    await writeConfig({}, { deploy_config: '' });
    expect((await launch('reload').ended).code).to.equal(0);
    expect((await service.children()).map(({ kind }) => kind)).not.to.include('deploy');
  });

  it('leaves S3 alone where another one has its state, and waits for that', async () => {
    const one = await launch().ready();
    await eventually(() => readyz(one), isWell);
    port = await freePort();
    await writeConfig({}, { data_dir: 'other' });
    const second = await launch().ready();
    await eventually(
      () => readyz(second),
      (text) => text.includes('is in use by another control service'),
    );
    expect(await readyz(second)).to.match(/\[-\] deploy control service: failed, [^]*\nready\n$/);
    one.kill('SIGTERM');
    await eventually(() => readyz(second), isWell);
  });

  it('is checked with the configuration of the service', async () => {
    await writeConfig({ drivr: 'local', listen: ANY });
    const { code, stderr } = await launch('check').ended;
    expect(code).to.equal(78);
    expect(stderr).to.match(
      /^ {2}deploy_config \(\S+deploy\.json\): drivr: got "local", expected a key that exists; did you mean driver\?$/m,
    );
    const wrong = async (deploy: object, config: object = {}) => {
      await writeConfig(deploy, config);
      return (await launch('check').ended).stderr;
    };
    expect(await wrong({ listen: ANY })).to.match(/: listen: expected a port other than 0, /);
    const s3 = { s3_listen: `0.0.0.0:${port}` };
    expect(await wrong({}, s3)).to.match(
      /: listen: got \S+, expected another port than s3_listen /,
    );
    expect(await wrong({}, { deploy_config: 'gone.json' })).to.match(
      /^ {2}deploy_config: \S+gone\.json: expected a readable file/m,
    );
    await writeConfig();
    expect((await launch('check').ended).code).to.equal(0);
  });

  it('is what the console is told of, unless its own file tells it of another', async () => {
    const file = join(runs().folder, 'console.json');
    await writeFile(file, '{"deploy_user": "other"}');
    const deploy = loadDeployConfig('deploy.json', runs().folder);
    const { options } = loadConfig({ flags: {}, cwd: runs().folder });
    const read = (given: typeof options, told: typeof deploy | undefined) =>
      readConsoleSettings({ options: given, roster: undefined, deploy: told, isFlag: false })
        .consoleConfig;
    expect(read(options, deploy)).to.deep.equal({
      deploy_upstream: `http://127.0.0.1:${port}`,
      deploy_user: 'deploy',
      deploy_token_file: join(runs().folder, 'token'),
    });
    const own = { ...options, consoleConfig: file };
    expect(read(own, deploy)).to.include({ deploy_user: 'other' });
    expect(read(options, undefined)).to.equal(undefined);
    // The token itself is read by the console's process alone.
    const token = (await readFile(join(runs().folder, 'token'), 'utf8')).trim();
    expect(JSON.stringify(read(options, deploy))).not.to.contain(token);
  });
});
