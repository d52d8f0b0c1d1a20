import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { BenchmarkRuns, type BenchmarkRun } from '../../console/surfaces/benchmarks/runs.js';
import { eventually } from '../support/eventually.js';
import { removeFolder, useTempFolder } from '../support/temp-folder.js';
import { startTestBed } from './support/console.js';

describe('benchmarks and the end of their console', () => {
  const home = useTempFolder('benchmark-ends');

  beforeEach(async () => {
    await mkdir(join(home(), 'profiles'));
    await writeFile(join(home(), 'profiles', 'hangs.json'), '{"title":"Hangs"}');
    await writeFile(join(home(), 'runner'), `#!/bin/sh\necho $$ > ${home()}/pid; exec sleep 600\n`);
    await chmod(join(home(), 'runner'), 0o755);
  });

  it('begin no program after it', async () => {
    const options = {
      ...{ benchmarkBin: join(home(), 'runner'), benchmarkHome: home() },
      stateDir: home(),
    };
    const given = {
      ...{ options, events: { publish: () => undefined }, now: Date.now },
      logger: { error: () => undefined },
    };
    const runs = new BenchmarkRuns(given);
    const profile = { name: 'hangs', title: 'Hangs', file: join(home(), 'profiles', 'hangs.json') };
    const starting = runs.start(profile as never, 'test:tester', {});
    const refused = starting.catch((error: unknown) => error);
    await runs.close();
    expect(await refused).to.include({ code: 'busy' });
    expect(await readFile(join(home(), 'pid'), 'utf8').catch(() => 'none')).to.equal('none');
  });

  it('go on while the next console has begun, and are not its to end', async () => {
    const config = {
      ...{ test_enabled: true, benchmark_bin: join(home(), 'runner'), benchmark_home: home() },
      state_dir: join(home(), 'state'),
    };
    const former = await startTestBed(config);
    const client = await former.login();
    const { id } = (await client.post('/api/benchmarks/runs', { profile: 'hangs' })).json() as BenchmarkRun; // prettier-ignore
    const kept = () => readFile(join(home(), 'state', 'benchmarks', id, 'run.json'), 'utf8').catch(() => ''); // prettier-ignore
    const before = await eventually(kept, Boolean);
    const next = await startTestBed(config);
    try {
      // It has begun and ended whatever it does of runs that others have left.
      await next.console.close();
      expect(await kept()).to.equal(before);
      expect((await client.get(`/api/benchmarks/runs/${id}`)).json()).to.include({ state: 'running' }); // prettier-ignore
      await former.console.close();
      expect(JSON.parse(await kept())).to.include({ state: 'interrupted' });
    } finally {
      await next.close();
      await former.store.close();
      await removeFolder(former.stateDir);
    }
  });
});
