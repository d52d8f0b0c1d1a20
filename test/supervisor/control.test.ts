import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT_CODES } from '../../supervisor/exit-codes.js';
import { useRuns, type Supervised } from './support/supervised.js';

/** Longer than the path of a Unix socket may be. */
const LONG_NAME = `${'long-'.repeat(25)}data`;

describe('supervisor: drain and wait-ready', () => {
  const runs = useRuns('control');

  beforeEach(() => configure());

  function configure(config: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return runs().configure({ data_dir: LONG_NAME, listeners: 1, ...config });
  }

  function ringway(args: readonly string[], env: NodeJS.ProcessEnv = {}): Supervised {
    return runs().run(args, { env });
  }

  it('wait-ready may come first, and waits', async () => {
    const waiting = ringway(['wait-ready']).ended;
    const service = ringway(['start']);
    expect(await waiting).to.include({ code: 0, stdout: '', stderr: '' });
    expect((await service.admin('/readyz')).status).to.equal(200);
  });

  it('wait-ready gives up', async () => {
    const nobody = await ringway(['wait-ready', '--timeout-ms', '10']).ended;
    expect(nobody.code).to.equal(EXIT_CODES.unready.code);
    expect(nobody.stderr).to.match(/^ringway: no service runs on the data directory .*long-/);
    const service = await ringway(['start'], { FAKE_START: 'sick' }).ready();
    const sick = await ringway(['wait-ready', '--timeout-ms', '300']).ended;
    expect(sick.code).to.equal(EXIT_CODES.unready.code);
    expect(sick.stderr).to.equal('ringway: wait-ready was not done within 300 ms\n');
    const waiting = ringway(['wait-ready']).ended;
    await service.sees(/"command":"wait-ready"(?:[^]*"command":"wait-ready")/);
    service.kill('SIGTERM');
    expect((await waiting).code).to.equal(EXIT_CODES.stopped.code);
  });

  it('a time that is over before the service is reached is over', async () => {
    await ringway(['start'], { FAKE_START: 'sick' }).ready();
    const impatient = await ringway(['wait-ready', '--timeout-ms', '0']).ended;
    expect(impatient.code).to.equal(EXIT_CODES.unready.code);
    expect(impatient.stderr).to.equal('ringway: wait-ready was not done within 0 ms\n');
    const endless = await ringway(['wait-ready', '--timeout-ms', '1000000000']).ended;
    expect(endless.code).to.equal(EXIT_CODES.usage.code);
    expect(endless.stderr).to.include('expected milliseconds, an integer from 0 to 999999999\n');
  });

  it('drain ends the service, and waits until it is done', async () => {
    const service = await ringway(['start']).ready();
    await service.control(1, '/begin');
    const port = await service.metric('fake_control_port{worker="1"}');
    const draining = ringway(['drain']).ended;
    await service.sees(/"requestsInProgress":1/);
    await fetch(`http://127.0.0.1:${port}/end`);
    expect(await draining).to.include({ code: 0, stdout: '', stderr: '' });
    expect(await service.ended).to.include({ code: 0 });
  });

  it('drain says that requests were cut', async () => {
    await configure({ drain_timeout_ms: 50 });
    const service = await ringway(['start']).ready();
    await service.control(1, '/begin');
    const result = await ringway(['drain']).ended;
    expect(result.code).to.equal(EXIT_CODES.drainTimeout.code);
    expect(await service.ended).to.include({ code: 1 });
  });

  for (const command of ['reload', 'drain']) {
    it(`${command} says that nothing runs`, async () => {
      const none = await ringway([command]).ended;
      expect(none.code).to.equal(EXIT_CODES.notRunning.code);
      expect(none.stderr).to.match(/^ringway: no service runs on the data directory .*ENOENT/);
      // Not even after one that was killed, whose socket is still there.
      const service = await ringway(['start']).ready();
      service.kill('SIGKILL');
      await service.ended;
      expect((await ringway([command]).ended).code).to.equal(EXIT_CODES.notRunning.code);
    });
  }

  it('no other process may command it', async () => {
    await ringway(['start']).ready();
    const { mode } = await stat(join(runs().folder, LONG_NAME, 'control.sock'));
    expect(mode & 0o777).to.equal(0o600);
  });

  it('a configuration that cannot be read leaves the data directory to be found', async () => {
    await mkdir(join(runs().folder, 'other'));
    await writeFile(join(runs().folder, 'ringway.json'), '{"data_dir":"other","listener":1}');
    const found = await ringway(['reload']).ended;
    expect(found.stderr).to.match(/^ringway: no service runs on the data directory .*other/);
    await writeFile(join(runs().folder, 'ringway.json'), '{');
    expect((await ringway(['reload']).ended).code).to.equal(EXIT_CODES.config.code);
  });
});
