import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { markOf } from '../../console/nodes/processes.js';
import type { RunKind } from '../../console/server/runs/run.js';
import type { Runs } from '../../console/server/runs/runs.js';
import { BenchmarkRuns } from '../../console/surfaces/benchmarks/runs.js';
import { eventually } from '../support/eventually.js';
import { failureOf } from '../support/failure.js';
import { removeFolder, useTempFolder } from '../support/temp-folder.js';
import { startTestBed } from './support/console.js';

/** A console with a benchmark that goes on. */
async function begun(home: string) {
  await mkdir(join(home, 'profiles'));
  await writeFile(join(home, 'profiles', 'hangs.json'), '{"title":"Hangs"}');
  const config = {
    ...{ test_enabled: true, benchmark_bin: join(home, 'runner'), benchmark_home: home },
    state_dir: join(home, 'state'),
  };
  const former = await startTestBed(config);
  const client = await former.login();
  const answer = await client.post('/api/benchmarks/runs', { profile: 'hangs' });
  const { id }: { id: string } = answer.json();
  await eventually(() => readFile(join(home, 'pid'), 'utf8').catch(() => ''), Boolean);
  return { id, config, former, client };
}

describe('benchmarks and the end of their console', () => {
  const home = useTempFolder('benchmark-ends');
  let kind: RunKind;
  let benchmarks: BenchmarkRuns;
  let logged: unknown[];

  beforeEach(async () => {
    const program = join(home(), 'runner');
    await writeFile(program, `#!/bin/sh\necho $$ > ${home()}/pid; exec sleep 600\n`);
    await chmod(program, 0o755);
    const runs = {
      list: () => Promise.reject(new Error('ENOSPC')),
      register: (one: RunKind) => {
        kind = one;
      },
    };
    const options = { benchmarkBin: program, benchmarkHome: home(), stateDir: home() };
    logged = [];
    const logger = { error: (...said: unknown[]) => logged.push(said) };
    benchmarks = new BenchmarkRuns(runs as unknown as Runs, options, logger);
  });

  const control = (signal: AbortSignal, note: () => Promise<void>) => ({
    ...{ id: 'b', params: {}, evidence: null, isResumed: false, signal, note },
    ...{ means: { file: 'hangs.json', environment: {} }, progress: () => undefined },
  });

  it('begin no program after it', async () => {
    const ending = new AbortController();
    const running = kind.run(control(ending.signal, () => Promise.resolve()));
    ending.abort();
    await failureOf(running);
    expect(await readFile(join(home(), 'pid'), 'utf8').catch(() => 'none')).to.equal('none');
  });

  it('end the program that cannot be written down', async () => {
    const full = new Error('ENOSPC');
    const running = kind.run(control(AbortSignal.any([]), () => Promise.reject(full)));
    expect((await failureOf(running)).cause).to.equal(full);
  });

  it('keep no console from its start where their journal cannot be opened', async () => {
    await benchmarks.begin(() => Promise.resolve(true));
    expect(logged).to.have.length(1);
  });

  it('go on while the next console has begun, and are not its to end', async () => {
    const { id, config, former, client } = await begun(home());
    const next = await startTestBed(config);
    try {
      // It has begun and ended whatever it does of runs that others have left.
      await next.console.close();
      expect(await client.read(`/api/benchmarks/runs/${id}`)).to.include({
        state: 'active',
      });
      expect(await readdir(join(config.state_dir, 'benchmarks'))).to.deep.equal([id]);
      await former.console.close();
      expect(await readdir(join(config.state_dir, 'benchmarks'))).to.deep.equal([]);
    } finally {
      await next.close();
      await former.store.close();
      await removeFolder(former.stateDir);
    }
  });

  it('end the program that a console left when it was killed', async () => {
    const left = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const ended = once(left, 'exit');
    kind.abandon?.({ id: 'b', evidence: { process: markOf(left.pid ?? 0) } });
    expect(await ended).to.deep.equal([null, 'SIGKILL']);
  });
});
