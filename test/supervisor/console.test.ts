import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { serve, type Served } from '../support/serve.js';
import { useRuns, type Ended, type StatusChild, type Supervised } from './support/supervised.js';

const ANY = '127.0.0.1:0';
const CONFIG = { listeners: 1, janitor_interval_ms: 0, store_listen: ANY, console_listen: ANY };

describe('supervisor: console', () => {
  const runs = useRuns('supervised-console');

  function launch(
    config: Readonly<Record<string, unknown>> = {},
    env: NodeJS.ProcessEnv = {},
  ): Promise<Supervised> {
    return runs().start({ ...CONFIG, ...config }, { env });
  }

  async function checked(config: Readonly<Record<string, unknown>>): Promise<Ended> {
    await runs().configure({ ...CONFIG, ...config });
    return runs().run(['check']).ended;
  }

  async function reload(config: Readonly<Record<string, unknown>> = {}): Promise<number | null> {
    await runs().configure({ ...CONFIG, ...config });
    return (await runs().run(['reload']).ended).code;
  }

  /** Takes a port. */
  const takePort = (): Promise<Served> => serve((_, response) => response.end());

  async function consoleOf(service: Supervised): Promise<StatusChild | undefined> {
    return (await service.children()).find(({ kind }) => kind === 'console');
  }

  const isUp = (child: StatusChild | undefined) => child?.state === 'up';

  it('starts one, and tells it no secret', async () => {
    const service = await (await launch()).ready();
    const kinds = (await service.untilAllUp()).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['listener', 'store', 'console']);
    expect(await service.metric('ringway_console_up')).to.equal(1);
    // Of the listener and the store.
    expect(await service.metric('fake_secrets')).to.equal(2);
    const added = { access_key: 'ANOTHER', secret_key: 'another-secret', account: 'AUTH_a' };
    const [own] = await credentials();
    const credentialsFile = join(runs().folder, 'data', 'credentials.json');
    const all = { credentials: [own, { ...added, role: 'owner' }] };
    await writeFile(credentialsFile, JSON.stringify(all), { mode: 0o600 });
    await service.untilMetric('fake_credentials', (count) => count === 6);
    expect(await service.metric('fake_secrets')).to.equal(4);
    const [, address = ''] = await service.sees(/Console +http:\/\/(\S+)/);
    expect((await service.status()).listeners).to.include({ console: address });
  });

  async function credentials(): Promise<readonly unknown[]> {
    const text = await readFile(join(runs().folder, 'data', 'credentials.json'), 'utf8');
    return (JSON.parse(text) as { credentials: unknown[] }).credentials;
  }

  it('starts it again for as long as it cannot listen, and is ready without it', async () => {
    const env = { FAKE_CONSOLE_START: 'fail-begin' };
    const service = await (await launch({ restart_limit: 1 }, env)).ready();
    await service.sees(/"message":"fake: cannot begin".*console ended, will be restarted/);
    await service.untilMetric(
      'ringway_console_restarts_total{reason="start_failed"}',
      (count) => count >= 2,
    );
    await service.untilReady();
    const verbose = await (await service.admin('/readyz?verbose')).text();
    expect(verbose).to.match(/^\[-\] console: failed, /m);
    expect(await service.metric('ringway_console_up')).to.equal(0);
    expect(await service.terminate()).to.include({ code: 0 });
  });

  it('serves S3 while something else has its address, and says so', async () => {
    const holder = await takePort();
    const taken = `127.0.0.1:${holder.port}`;
    const service = await (await launch({ console_listen: taken })).ready();
    const line = `Console +not yet, .*: console_listen: cannot listen on ${taken}: .+ listens there`;
    await service.sees(new RegExp(line));
    holder.close();
  });

  for (const [what, config, line] of [
    ['has no address', { console_listen: '' }, undefined],
    ['has no store', { store_listen: '' }, /Console +none: its store has no address: store_listen/],
    [
      'could let nobody in',
      {
        backend: 'swift',
        swift_endpoints: ['http://127.0.0.1:1'],
        credentials_source: 'file',
        swift_user: 'gateway:gw',
        swift_key_file: 'key',
      },
      /Console +none: no credential names a user of the store/,
    ],
  ] as const) {
    it(`starts none that ${what}`, async () => {
      await writeFile(join(runs().folder, 'key'), 'hush', { mode: 0o600 });
      const service = await (await launch(config)).ready();
      expect((await service.children()).map(({ kind }) => kind)).not.to.include('console');
      if (line === undefined) expect(service.stdout).not.to.include('Console');
      else await service.sees(line);
    });
  }

  it('checks the console file, and names what is wrong with it', async () => {
    await writeFile(join(runs().folder, 'console.json'), '{"bind": 7, "trash_dayz": 1}');
    const ended = await checked({ console_config: 'console.json' });
    expect(ended.code).to.equal(78);
    expect(ended.stderr)
      .to.match(/^ {2}console_config \(\S+console\.json\): bind: got 7, expected HOST:PORT/m)
      .and.match(/: trash_dayz: got 1, expected a key that exists; did you mean trash_days\?$/m);
    const missing = await checked({ console_config: 'gone.json' });
    expect(missing.stderr).to.match(
      /^ {2}console_config: \S+gone\.json: expected a readable file/m,
    );
  });

  it('says that something else listens at the address in its file', async () => {
    const check = async (own: object, config: object) => {
      await writeFile(join(runs().folder, 'console.json'), JSON.stringify(own));
      const { code, stderr } = await checked({ console_config: 'console.json', ...config });
      return { code, line: stderr.split('\n')[1]?.replace(runs().folder, '.') };
    };
    const s3 = { s3_listen: '0.0.0.0:9000' };
    expect(await check({ bind: '127.0.0.2:9000' }, s3)).to.deep.equal({
      code: 78,
      line: '  console_config (./console.json): bind: got "127.0.0.2:9000", expected another port than s3_listen (0.0.0.0:9000), with which it overlaps',
    });
    const listen = { ...s3, console_listen: '127.0.0.1:9000' };
    expect(await check({}, listen)).to.deep.equal({
      code: 78,
      line: '  console_listen: got "127.0.0.1:9000", expected another port than s3_listen (0.0.0.0:9000), with which it overlaps',
    });
    expect((await check({ bind: '127.0.0.2:9001' }, listen)).code).to.equal(0);
  });

  it('listens where its own file says, unless a flag says otherwise', async () => {
    await writeFile(join(runs().folder, 'console.json'), '{"bind": "127.0.0.2:0"}');
    const service = await (await launch({ console_config: 'console.json' })).ready();
    await service.sees(/Console +http:\/\/127\.0\.0\.2:\d+/);
    await service.terminate();
    const flag = runs().run(['start', '--console', ANY]);
    await (await flag.ready()).sees(/Console +http:\/\/127\.0\.0\.1:\d+/);
  });

  it('lets the former console serve at a reload until the next one does', async () => {
    const beginFile = join(runs().folder, 'begin');
    await writeFile(beginFile, '');
    const env = { FAKE_CONSOLE_START: 'wait-begin', FAKE_BEGIN_FILE: beginFile };
    const service = await (await launch({}, env)).ready();
    const former = await eventually(() => consoleOf(service), isUp);
    await rm(beginFile);
    const reloaded = reload();
    await service.sees(/"msg":"reloading"[^]*"msg":"store up"/);
    expect(await consoleOf(service)).to.include({ pid: former?.pid, state: 'up' });
    await writeFile(beginFile, '');
    expect(await reloaded).to.equal(0);
    expect((await consoleOf(service))?.pid).not.to.equal(former?.pid);
  });

  it('takes another address at a reload, and refuses one that is in use', async () => {
    const service = await (await launch()).ready();
    await eventually(() => consoleOf(service), isUp);
    expect(await reload({ console_listen: '127.0.0.3:0' })).to.equal(0);
    const listens = async () => (await service.status()).listeners.console;
    expect(await listens()).to.match(/^127\.0\.0\.3:/);
    const holder = await takePort();
    const taken = `127.0.0.1:${holder.port}`;
    expect(await reload({ console_listen: taken })).to.equal(69);
    expect(await listens()).to.match(/^127\.0\.0\.3:/);
    holder.close();
    expect(await reload({ console_listen: '' })).to.equal(0);
    expect(await consoleOf(service)).to.equal(undefined);
  });
});
