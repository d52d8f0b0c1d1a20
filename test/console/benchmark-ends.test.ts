import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { markOf } from '../../console/nodes/processes.js';
import type { RunKind } from '../../console/server/runs/run.js';
import type { Runs } from '../../console/server/runs/runs.js';
import { BenchmarkRuns } from '../../console/surfaces/benchmarks/runs.js';
import { failureOf } from '../support/failure.js';
import { useTempFolder } from '../support/temp-folder.js';

describe('benchmarks and the end of their console', () => {
  const home = useTempFolder('benchmark-ends');
  let kind: RunKind;

  beforeEach(async () => {
    const program = join(home(), 'runner');
    await writeFile(program, `#!/bin/sh\necho $$ > ${home()}/pid; exec sleep 600\n`);
    await chmod(program, 0o755);
    const runs = {
      register: (one: RunKind) => {
        kind = one;
      },
    };
    const options = { benchmarkBin: program, benchmarkHome: home(), stateDir: home() };
    void new BenchmarkRuns(runs as unknown as Runs, options);
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

  it('end the program that a console left when it was killed', async () => {
    const left = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const ended = once(left, 'exit');
    kind.abandon?.({ id: 'b', evidence: { process: markOf(left.pid ?? 0) } });
    expect(await ended).to.deep.equal([null, 'SIGKILL']);
  });
});
