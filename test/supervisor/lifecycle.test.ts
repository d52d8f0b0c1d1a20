import { readFileSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { isProcessAlive } from '../../supervisor/process-alive.js';
import { eventually } from '../support/eventually.js';
import { mustRun } from '../support/programs.js';
import { useRuns, type Supervised, type SupervisedOptions } from './support/supervised.js';

describe('supervisor: lifecycle', () => {
  const runs = useRuns('supervisor');

  function launch(
    config: Readonly<Record<string, unknown>> = {},
    options: SupervisedOptions = {},
  ): Promise<Supervised> {
    return runs().start({ listeners: 2, ...config }, options);
  }

  it('goes on when its log cannot be written', async () => {
    const full = await open('/dev/full', 'w');
    const service = await (await launch({}, { stderr: full.fd })).ready();
    await full.close();
    for (const worker of [1, 2]) {
      await service.control(worker, '/complain');
      const query = encodeURIComponent('{process="listener"} |= "complains"');
      await eventually(
        async () => (await service.admin(`/loki/api/v1/query_range?query=${query}`)).text(),
        (found) => found.split('fake listener complains').length > worker,
      );
    }
    service.kill('SIGHUP');
    const done = 'ringway_config_reloads_total{outcome="done"}';
    await service.untilMetric(done, (count) => count === 1);
    expect(await service.terminate()).to.include({ code: 0, signal: null });
  });

  it('starts all listeners, says how to use them, drains on SIGTERM and exits 0', async () => {
    const service = await (await launch()).ready();
    const children = await service.untilAllUp();
    expect(children.map(({ kind, worker }) => [kind, worker])).to.deep.equal([
      ['listener', 1],
      ['listener', 2],
      ['janitor', undefined],
    ]);
    expect(service.stdout).to.match(/S3 endpoint +http:\/\/127\.0\.0\.1:\d+/);
    expect(service.stdout).to.match(/aws --endpoint-url http.* s3 ls/);
    const ended = await service.terminate();
    expect(ended).to.include({ code: 0, signal: null });
    expect(ended.stderr.match(/"cause":"\w+"/g)).to.deep.equal(
      children.map(() => '"cause":"drained"'),
    );
    expect(children.filter(({ pid }) => isProcessAlive(pid))).to.deep.equal([]);
  });

  it('does the same on SIGINT', async () => {
    const service = await (await launch()).ready();
    service.kill('SIGINT');
    expect(await service.ended).to.include({ code: 0 });
  });

  it('shows a generated secret at the first start only', async () => {
    const first = await (await launch()).ready();
    const [, secret = ''] = await first.sees(/Secret key +(\S{40}) /);
    await first.terminate();
    const second = await (await launch()).ready();
    expect(second.stdout).to.match(/Secret key +kept in /);
    expect(second.stdout).not.to.include(secret);
  });

  it('waits for requests in flight when it drains', async () => {
    const service = await (await launch({ listeners: 1 })).ready();
    await service.control(1, '/begin');
    const port = await service.metric('fake_control_port{worker="1"}');
    service.kill('SIGTERM');
    await service.sees(/"requestsInProgress":1/);
    expect((await service.admin('/readyz')).status).to.equal(503);
    expect(await (await service.admin('/readyz')).text()).to.equal('draining\n');
    await fetch(`http://127.0.0.1:${port}/end`);
    expect(await service.ended).to.include({ code: 0 });
  });

  it('cuts what is in flight at the limit, and exits 1', async () => {
    const service = await (await launch({ drain_timeout_ms: 100 })).ready();
    await service.control(2, '/begin');
    const [first, second] = await service.children();
    expect(await service.terminate()).to.include({ code: 1 });
    expect([first!, second!].some(({ pid }) => isProcessAlive(pid))).to.be.false;
  });

  it('takes two signals at once for one wish, as Ctrl-C under npm sends them', async () => {
    const service = await (await launch({ listeners: 1 })).ready();
    await service.control(1, '/begin');
    const port = await service.metric('fake_control_port{worker="1"}');
    service.kill('SIGINT');
    service.kill('SIGINT');
    await service.sees(/"requestsInProgress":1/);
    await fetch(`http://127.0.0.1:${port}/end`);
    expect(await service.ended).to.include({ code: 0 });
  });

  it('stops at once on a later signal, whatever is in flight', async () => {
    const service = await (await launch({ drain_delay_ms: 600_000 })).ready();
    await service.control(1, '/begin');
    // So often that some come while it exits: those must not take its exit code away.
    const nagging = setInterval(() => {
      service.kill('SIGTERM');
    }, 2);
    try {
      expect(await service.ended).to.include({ code: 1 });
    } finally {
      clearInterval(nagging);
    }
  });

  it('stops while it is still starting', async () => {
    const service = await launch({ drain_delay_ms: 600_000 }, { env: { FAKE_START: 'hang' } });
    await service.sees(/listeners starting/);
    expect(await service.terminate()).to.include({ code: 0 });
  });

  it('takes its children along when it is killed, whatever they wait for', async () => {
    const fifo = join(runs().folder, 'fifo');
    await mustRun('mkfifo', [fifo]);
    const config = { console_listen: '127.0.0.1:0', store_listen: '127.0.0.1:0' };
    const service = await (await launch(config, { env: { FAKE_FIFO: fifo } })).ready();
    const children = await service.untilAllUp();
    const kinds = new Set(children.map(({ kind }) => kind));
    expect([...kinds]).to.have.members(['listener', 'janitor', 'store', 'console']);
    await service.control(1, '/wait-for-disk');
    try {
      service.kill('SIGKILL');
      await eventually(
        () => Promise.resolve(children.filter(({ pid }) => isProcessAlive(pid))),
        (alive) => alive.length === 0,
      );
    } finally {
      // Lets go of a thread that waits all the same: the process would outlive the test.
      await (await open(fifo, 'r+')).close();
    }
  });

  for (const [how, reason] of [
    ['/crash', 'exit'],
    ['/abort', 'signal'],
  ] as const) {
    it(`starts a listener again that ends by ${reason}`, async () => {
      const service = await (await launch()).ready();
      const before = await service.children();
      await service.control(1, how);
      const after = await eventually(
        () => service.children(),
        ([first]) => first?.state === 'up' && first.pid !== before[0]?.pid,
      );
      expect(after[0]).to.include({ worker: 1, restarts: 1 });
      // And not by its memory, which changes.
      expect([after[1]?.pid, after[1]?.state]).to.deep.equal([before[1]?.pid, before[1]?.state]);
      expect(await service.metric(`ringway_listener_restarts_total{reason="${reason}"}`)).to.equal(
        1,
      );
      expect(await service.metric('ringway_listener_up{worker="1"}')).to.equal(1);
    });
  }

  it('goes on when the janitor crashes again and again', async () => {
    const crashFile = join(runs().folder, 'crash');
    await writeFile(crashFile, '');
    const config = { restart_limit: 2, restart_window_ms: 1000 };
    const service = await launch(config, { env: { FAKE_JANITOR_CRASH_FILE: crashFile } });
    await service.ready();
    const restarts = 'ringway_janitor_restarts_total{reason="exit"}';
    // Beyond its limit, which would end a listener and the service.
    await service.untilMetric(restarts, (count) => count >= 3);
    expect(await service.metric('ringway_janitor_up')).to.equal(0);
    await service.untilReady();
    await rm(crashFile);
    await service.untilMetric('ringway_janitor_up', (up) => up === 1);
  });

  it('runs no janitor when its interval is 0', async () => {
    const service = await (await launch({ janitor_interval_ms: 0, listeners: 1 })).ready();
    expect((await service.children()).map(({ kind }) => kind)).to.deep.equal(['listener']);
    expect(await (await service.admin('/readyz?verbose')).text()).not.to.include('janitor');
  });

  it('gives up on a listener that crashes again and again', async () => {
    const crashFile = join(runs().folder, 'crash');
    const service = await launch({ restart_limit: 3 }, { env: { FAKE_CRASH_FILE: crashFile } });
    await service.ready();
    await writeFile(crashFile, '');
    await service.control(2, '/crash');
    const ended = await service.ended;
    expect(ended.code).to.equal(70);
    expect(ended.stderr).to.match(
      /^ringway: listener 2 ended 4 times within 60000 ms, last with exit code 3: giving up$/m,
    );
  });

  it('says at once that a listener cannot even start', async () => {
    const ended = await (await launch({}, { env: { FAKE_START: 'crash' } })).ended;
    expect(ended.code).to.equal(70);
    expect(ended.stderr).to.match(
      /^ringway: listener \d ended with exit code 3 before it was ready; see its lines above$/m,
    );
    expect(ended.stderr).not.to.include('will be restarted');
  });

  it('counts a listener that is not ready in time as crashed', async () => {
    const config = { restart_limit: 1, listener_start_timeout_ms: 300 };
    const ended = await (await launch(config, { env: { FAKE_START: 'hang' } })).ended;
    expect(ended.code).to.equal(70);
    expect(ended.stderr).to.include('"cause":"start_timeout"');
  });

  for (const [start, code, message] of [
    ['fail-listen', 69, 'fake: cannot listen'],
    ['fail-store', 73, 'fake: no store'],
  ] as const) {
    it(`ends with ${code} when a listener cannot start: ${message}`, async () => {
      // Which is for those who send requests to a service that was ready.
      const config = { drain_delay_ms: 600_000 };
      const ended = await (await launch(config, { env: { FAKE_START: start } })).ended;
      expect(ended.code).to.equal(code);
      expect(ended.stderr).to.match(new RegExp(`^ringway: ${message}$`, 'm'));
    });
  }

  it('starts each kind of process with the flags of Node that are its own', async () => {
    const service = await (await launch({ store_listen: '127.0.0.1:0' })).ready();
    const flagged = (await service.untilAllUp())
      .filter(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--max-semi'))
      .map(({ kind }) => kind);
    expect(flagged).to.deep.equal(['store']);
  });

  it('has the flags of Node that it was started with win over those', async () => {
    const [ours, operators] = ['--max-semi-space-size=2', '--max-semi-space-size=3'];
    const config = { store_listen: '127.0.0.1:0', listeners: 1 };
    const service = await launch(config, { nodeFlags: [operators] });
    const children = await (await service.ready()).untilAllUp();
    const flags = children.map(({ kind, pid }) => [
      kind,
      readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        .split('\0')
        .filter((argument) => argument.startsWith('--max-semi')),
    ]);
    // V8 goes by the last of them.
    expect(flags).to.deep.include(['store', [ours, operators]]);
    expect(flags).to.deep.include(['listener', [operators]]);
  });
});
