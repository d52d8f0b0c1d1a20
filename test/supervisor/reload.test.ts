import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';
import { isProcessAlive } from '../../supervisor/process-alive.js';
import { eventually } from '../support/eventually.js';
import { failureOf } from '../support/failure.js';
import { useEach } from '../support/fixture.js';
import { useRuns, type Ended } from './support/supervised.js';

const DONE = 'ringway_config_reloads_total{outcome="done"}';
const FAILED = 'ringway_config_reloads_total{outcome="failed"}';

/** How long a start may take, where that is what ends it; else a busy machine may fork slowly. */
const STARTS_MS: Readonly<Record<string, number>> = { hang: 1500, sick: 6000 };

describe('supervisor: reload', () => {
  const runs = useRuns('reload');
  const startFile = useEach(() => join(runs().folder, 'start'));
  const service = useEach(async () => {
    const options = { env: { FAKE_START_FILE: startFile() } };
    const started = await (await runs().start({ listeners: 2 }, options)).ready();
    await started.untilAllUp();
    return started;
  });

  function configure(config: Readonly<Record<string, unknown>>): Promise<void> {
    return runs().configure({ listeners: 2, ...config });
  }

  function ringway(...args: string[]): Promise<Ended> {
    return runs().run(args).ended;
  }

  async function pids(): Promise<number[]> {
    return (await service().children()).map(({ pid }) => pid);
  }

  it('puts another configuration in force, with processes of its own', async () => {
    const before = await pids();
    const hash = (await service().status()).configuration_hash;
    await service().control(1, '/count?n=5');
    await service().control(2, '/count?n=2');
    await configure({ listeners: 3, janitor_interval_ms: 0 });
    expect(await ringway('reload')).to.include({ code: 0, stdout: '', stderr: '' });
    const after = await service().children();
    expect(after.map(({ kind, worker, restarts }) => [kind, worker, restarts])).to.deep.equal([
      ['listener', 1, 0],
      ['listener', 2, 0],
      ['listener', 3, 0],
    ]);
    expect(before.filter(isProcessAlive)).to.deep.equal([]);
    expect((await service().status()).configuration_hash).not.to.equal(hash);
    await service().sees(/"changed":\["listeners","janitor_interval_ms"\].*"msg":"reloaded"/);
    // The counts of processes that have gone are still there.
    expect(await service().metric('fake_total')).to.equal(7);
    expect(await service().metric(DONE)).to.equal(1);
    expect(await service().metric('ringway_config_last_reload_successful')).to.equal(1);
    expect(await service().metric('ringway_listener_up{worker="3"}')).to.equal(1);
  });

  it('does so on SIGHUP, and keeps the ports that the kernel had chosen', async () => {
    const before = await pids();
    const [address] = await service().sees(/S3 endpoint +\S+/);
    service().kill('SIGHUP');
    await service().sees(/"msg":"former processes ended"/);
    expect((await pids()).filter((pid) => before.includes(pid))).to.deep.equal([]);
    expect(address).to.include((await service().status()).s3_listen);
    expect(await service().terminate()).to.include({ code: 0 });
  });

  it('leaves no process behind that follows the credentials', async () => {
    for (let n = 0; n < 2; n++) expect(await ringway('reload')).to.include({ code: 0 });
    const credentials = join(runs().folder, 'data', 'credentials.json');
    // Each is seen within a second of the one before: so all who look have seen the first by then.
    const lines = [1, 2, 3];
    for (const line of lines) {
      await writeFile(credentials, `${'\n'.repeat(line - 1)}{`);
      await service().sees(new RegExp(`line ${line}, .*"msg":"credentials changed, but`));
    }
    const { stderr } = await service().terminate();
    expect(stderr.match(/"msg":"credentials changed, but/g)).to.have.length(lines.length);
  });

  it('moves the admin port', async () => {
    await configure({ admin_listen: '127.0.0.2:0' });
    expect(await ringway('reload')).to.include({ code: 0 });
    // The former one is closed.
    await failureOf(service().admin('/livez'), TypeError);
    expect(await ringway('wait-ready')).to.include({ code: 0 });
  });

  for (const [what, text, reason, message] of [
    ['no JSON', '{', 'config', /expected/],
    ['an unknown key', '{"listener":2}', 'config', /did you mean listeners/],
    ['another data directory', '{"data_dir":"other"}', 'config', /data_dir: .*needs a restart/],
    ['no such credentials', '{"data_dir":"data","credentials_file":"none"}', 'config', /none/],
  ] as const) {
    it(`changes nothing for a configuration with ${what}`, async () => {
      const before = await service().children();
      await writeFile(join(runs().folder, 'ringway.json'), text);
      const result = await ringway('reload', '--data', join(runs().folder, 'data'));
      expect(result.code, result.stderr).to.equal(EXIT_CODES[reason].code);
      expect(result.stderr).to.match(message);
      await service().sees(/"level":"error".*"reason":"config".*"msg":"reload changed nothing"/);
      expect(await service().children()).to.deep.equal(before);
    });
  }

  for (const [how, reason, message] of [
    ['fail-listen', 'listen', 'fake: cannot listen'],
    ['fail-store', 'dataDirectory', 'fake: no store'],
    ['fail-begin', 'listen', 'fake: cannot begin'],
    ['crash', 'internal', 'of the new configuration ended with exit code 3'],
    ['hang', 'internal', 'of the new configuration was not prepared in time'],
    ['sick', 'unready', 'finds backend not well: sick'],
  ] as const) {
    it(`changes nothing when the new processes do not come up: ${how}`, async () => {
      await configure({ listener_start_timeout_ms: STARTS_MS[how] ?? 30_000 });
      await writeFile(startFile(), how);
      const before = await service().children();
      const result = await ringway('reload');
      expect(result.code, result.stderr).to.equal(EXIT_CODES[reason].code);
      expect(result.stderr).to.include(message);
      await service().sees(/"level":"error".*"msg":"reload changed nothing"/);
      expect(await service().children()).to.deep.equal(before);
      expect(await service().metric(FAILED)).to.equal(1);
      expect(await service().metric('ringway_config_last_reload_successful')).to.equal(0);
      expect((await service().admin('/readyz')).status).to.equal(200);
      await rm(startFile());
      await configure({});
      expect(await ringway('reload')).to.include({ code: 0 });
    });
  }

  it('cuts what the former processes still do at the limit, and says so', async () => {
    // Time enough, on a busy machine, for those that have nothing to finish.
    await configure({ drain_timeout_ms: 3000 });
    expect(await ringway('reload')).to.include({ code: 0 });
    await service().control(1, '/begin');
    const result = await ringway('reload');
    expect(result.code).to.equal(EXIT_CODES.drainTimeout.code);
    expect(result.stderr).to.match(/reloaded, but 1 of the former processes were killed/);
    expect(await service().metric('ringway_drain_timeouts_total')).to.equal(1);
    expect((await service().admin('/readyz')).status).to.equal(200);
    // The request cut before is no fault of a shutdown that cuts nothing.
    expect(await service().terminate()).to.include({ code: 0 });
  });

  it('waits for requests in flight, and shows the processes that are leaving', async () => {
    await service().control(1, '/begin');
    const port = await service().metric('fake_control_port{worker="1"}');
    const [busy] = await pids();
    const reloading = ringway('reload');
    await service().sees(/"msg":"reloaded"/);
    const leaving = await eventually(
      () => service().children(),
      (children) => children.filter(({ state }) => state === 'draining').length === 1,
    );
    expect(leaving.find(({ state }) => state === 'draining')).to.include({ pid: busy });
    expect((await service().admin('/readyz')).status).to.equal(200);
    await fetch(`http://127.0.0.1:${port}/end`);
    expect(await reloading).to.include({ code: 0 });
  });

  it('a stop during a reload ends both generations', async () => {
    await writeFile(startFile(), 'hang');
    const reloading = ringway('reload');
    await service().sees(/"msg":"reloading"/);
    expect(await service().terminate()).to.include({ code: 0 });
    expect((await reloading).code).to.equal(EXIT_CODES.stopped.code);
  });
});
