import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { BenchmarkRuns, type BenchmarkRun } from '../../console/surfaces/benchmarks/runs.js';
import { Runner } from '../../console/surfaces/benchmarks/runner.js';
import type { BenchmarksView } from '../../console/surfaces/benchmarks/surface.js';
import { eventually } from '../support/eventually.js';
import { watchSyncs } from '../support/file-syncs.js';
import { makeTempFolder, removeFolder, useTempFolderOnce } from '../support/temp-folder.js';
import { codeOf, type ConsoleClient } from './support/client.js';
import { startTestBed, type TestBed } from './support/console.js';

const BUNDLED = resolve('ops/benchmark/ringway-benchmark.mjs');

/** Prints a line, writes what the profile says as its result, and does what it says. */
const RUNNER = `#!/bin/sh
echo "runs $2"
. "$2.sh"
`;
const RESULT = JSON.stringify({
  rows: [
    { op: 'get-1k', bytes: 1024, concurrency: 4, ops: 100, errors: 0, ops_per_s: 50, p50_ms: 1 },
  ],
});

describe('benchmarks', function () {
  this.timeout(120_000);
  let bed: TestBed;
  const home = useTempFolderOnce('benchmarks');
  let operator: ConsoleClient;

  before(async () => {
    await mkdir(join(home(), 'profiles'));
    await writeFile(join(home(), 'runner'), RUNNER);
    await chmod(join(home(), 'runner'), 0o755);
    await profile('fast', `echo '${RESULT}' > "$4/result.json"; echo done`);
    await profile(
      'hangs',
      `echo $$ > ${home()}/pids; sleep 600 & echo $! >> ${home()}/pids; echo ready; wait`,
    );
    await profile('fails', 'echo no >&2; exit 3');
    await profile('silent', 'true');
    await profile(
      'floods',
      `i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo '${RESULT}' > "$4/result.json"`,
    );
    await writeFile(join(home(), 'profiles', 'broken.json'), '[]');
    bed = await startTestBed({
      test_enabled: true,
      benchmark_bin: join(home(), 'runner'),
      benchmark_home: home(),
    });
    operator = await bed.login();
  });

  after(async () => {
    await bed.close();
  });

  async function profile(name: string, script: string): Promise<void> {
    const file = join(home(), 'profiles', `${name}.json`);
    await writeFile(file, JSON.stringify({ title: `Profile ${name}` }));
    await writeFile(`${file}.sh`, script);
  }

  async function start(name: string, client = operator): Promise<string> {
    const answer = await client.post('/api/benchmarks/runs', { profile: name });
    expect(answer.status, answer.text).to.equal(202);
    return (answer.json() as { id: string }).id;
  }

  const get = async (id: string, client = operator): Promise<BenchmarkRun> => {
    const answer = await client.get(`/api/benchmarks/runs/${id}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json();
  };

  const ended = (id: string, client = operator) =>
    eventually(
      () => get(id, client),
      ({ state }) => state !== 'running',
    );

  it('lists profiles, and refuses those that are none', async () => {
    const view: BenchmarksView = (await operator.get('/api/benchmarks')).json();
    const names = view.profiles.map(({ name, problem }) => [name, problem === null]);
    expect(names).to.deep.equal([
      ['broken', false],
      ['fails', true],
      ['fast', true],
      ['floods', true],
      ['hangs', true],
      ['silent', true],
    ]);
    for (const [name, code] of [
      ['broken', 'unprocessable'],
      ['none', 'not_found'],
      ['../x', 'not_found'],
    ] as const) {
      const answer = await operator.post('/api/benchmarks/runs', { profile: name });
      expect(codeOf(answer), name).to.equal(code);
    }
  });

  it('runs a profile, keeps its output and its results, and says so as it goes', async () => {
    const events = operator.events('/api/events?topics=benchmarks');
    const told = events.next();
    const id = await start('fast');
    const run = await ended(id);
    expect(run.state, run.error ?? '').to.equal('done');
    expect(run.actor).to.equal('test:tester');
    expect(run.lines).to.deep.equal([`runs ${join(home(), 'profiles', 'fast.json')}`, 'done']);
    expect(run.rows).to.deep.equal([
      {
        op: 'get-1k',
        target: '',
        bytes: 1024,
        concurrency: 4,
        ops: 100,
        errors: 0,
        ops_per_s: 50,
        p50_ms: 1,
        p95_ms: null,
        p99_ms: null,
      },
    ]);
    for await (const event of events) {
      if (event.event !== 'benchmarks') continue;
      expect(event.data).to.include({ id });
      break;
    }
    await told;
    const { runs }: BenchmarksView = (await operator.get('/api/benchmarks')).json();
    expect(runs.map((one) => one.id)).to.include(id);
  });

  it('fails where the program fails, and where it leaves no results', async () => {
    const failed = await ended(await start('fails'));
    expect([failed.state, failed.error]).to.deep.equal([
      'failed',
      'The benchmark program exited with code 3.',
    ]);
    expect(failed.lines).to.include('no');
    const silent = await ended(await start('silent'));
    expect([silent.state, silent.error]).to.deep.equal([
      'failed',
      'The benchmark program produced no results.',
    ]);
  });

  it('keeps the last thousand lines of one that prints much', async () => {
    const run = await ended(await start('floods'));
    expect(run.lines_total).to.equal(3001);
    expect(run.lines).to.have.length(1000);
    expect(run.lines.at(-1)).to.equal('line 2999');
  });

  it('runs one at a time, and a cancelled one ends with all that it started', async () => {
    const id = await start('hangs');
    await eventually(
      () => get(id),
      ({ lines }) => lines.includes('ready'),
    );
    const second = await operator.post('/api/benchmarks/runs', { profile: 'fast' });
    expect(codeOf(second)).to.equal('conflict');
    expect((await operator.send('DELETE', `/api/benchmarks/runs/${id}`)).status).to.equal(204);
    expect((await get(id)).state).to.equal('cancelled');
    await nobodyRuns();
    const answer = await operator.get('/api/audit?action=benchmarks.cancel');
    const { items }: { items: { target: string }[] } = answer.json();
    expect(items.map(({ target }) => target)).to.deep.equal([id]);
    expect(codeOf(await operator.send('DELETE', `/api/benchmarks/runs/${id}`))).to.equal(
      'not_found',
    );
  });

  it('ends although a process that left its group holds its output open', async () => {
    const lines: string[] = [];
    const runner = new Runner({
      program: '/bin/sh',
      args: ['-c', "setsid sh -c 'echo $$; exec sleep 600' & wait"],
      environment: {},
      onLine: (line) => lines.push(line),
      graceMs: 10,
    });
    const [pid] = await eventually(
      () => Promise.resolve(lines),
      ({ length }) => length > 0,
    );
    try {
      await runner.stop();
      expect(await runner.ended).to.deep.equal({ code: null, failed: false });
    } finally {
      process.kill(Number(pid), 'SIGKILL');
    }
  });

  it('is interrupted with the console, and its processes with it', async () => {
    const overrides = {
      test_enabled: true,
      benchmark_bin: join(home(), 'runner'),
      benchmark_home: home(),
    };
    const other = await startTestBed(overrides);
    let isOpen = true;
    try {
      const client = await other.login();
      const id = await start('hangs', client);
      await eventually(
        () => get(id, client),
        ({ lines }) => lines.includes('ready'),
      );
      const kept = join(other.stateDir, 'benchmarks', id, 'run.json');
      const written = await eventually(
        () => readFile(kept, 'utf8').catch(() => ''),
        (text) => text !== '',
      );
      // As if the console had been killed: its file says that the run goes on.
      await other.console.close();
      isOpen = false;
      expect(JSON.parse(await readFile(kept, 'utf8'))).to.include({ state: 'interrupted' });
      await nobodyRuns();
      await writeFile(kept, written);
      const again = await startTestBed({ ...overrides, state_dir: other.stateDir });
      try {
        const run = await get(id, await again.login());
        expect(run.error).to.equal('The console stopped before the benchmark finished.');
      } finally {
        await again.close();
      }
    } finally {
      if (isOpen) await other.console.close();
      await other.store.close();
      await rm(other.stateDir, { recursive: true, force: true });
    }
  });

  it('does not keep the console from its start when its end cannot be written', async () => {
    const stateDir = await makeTempFolder('benchmarks');
    try {
      const id = '00000000-0000-4000-8000-000000000001';
      const folder = join(stateDir, 'benchmarks', id);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'run.json'), JSON.stringify({ id, state: 'running' }));
      const logged: unknown[] = [];
      const runs = new BenchmarkRuns({
        options: { benchmarkBin: '', benchmarkHome: home(), stateDir },
        events: { publish: () => undefined },
        now: Date.now,
        logger: { error: (...said: unknown[]) => logged.push(said) },
      });
      const full = (): Promise<never> => Promise.reject(new Error('ENOSPC'));
      await watchSyncs(full, async () => runs.recover());
      expect(logged).to.have.length(1);
    } finally {
      await removeFolder(stateDir);
    }
  });

  it('is for operators, where it is switched on, with a program that may run', async () => {
    const reader = await bed.login('tester3', 'testing3');
    expect(codeOf(await reader.get('/api/benchmarks'))).to.equal('forbidden');
    const off = await startTestBed();
    try {
      const answer = await (await off.login()).get('/api/benchmarks');
      expect([answer.status, codeOf(answer)]).to.deep.equal([403, 'feature_disabled']);
    } finally {
      await off.close();
    }
    await chmod(join(home(), 'runner'), 0o777);
    const refused = await operator.post('/api/benchmarks/runs', { profile: 'fast' });
    expect(codeOf(refused)).to.equal('unsupported_here');
    await chmod(join(home(), 'runner'), 0o755);
  });

  /** Waits until the processes of `hangs` are gone. */
  async function nobodyRuns(): Promise<void> {
    const pids = (await readFile(join(home(), 'pids'), 'utf8')).trim().split('\n');
    for (const pid of pids) {
      await eventually(
        () => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z'),
        (stat) => stat.includes(') Z'),
      );
    }
  }
});

describe('the bundled benchmark', function () {
  this.timeout(120_000);

  it('measures with profiles of its own, and leaves figures that the console reads', async () => {
    const home = await makeTempFolder('benchmarks');
    await mkdir(join(home, 'profiles'));
    const shipped = await readdir('ops/benchmark/profiles');
    for (const file of shipped) {
      await writeFile(
        join(home, 'profiles', file),
        await readFile(`ops/benchmark/profiles/${file}`),
      );
    }
    const short = {
      rows: ['head-1k:1'],
      slices: 1,
      seconds: 0.1,
      list_keys: 200,
      workers: 1,
      listeners: 1,
    };
    const files = { short: { title: 'Short', ...short }, wrong: { title: 'Wrong', colour: 'red' } };
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(home, 'profiles', `${name}.json`), JSON.stringify(content));
    }
    const bed = await startTestBed({
      test_enabled: true,
      benchmark_bin: BUNDLED,
      benchmark_home: home,
    });
    try {
      const operator = await bed.login();
      const view: BenchmarksView = (await operator.get('/api/benchmarks')).json();
      expect(view.profiles.filter(({ problem }) => problem !== null)).to.deep.equal([]);
      expect(view.profiles.length).to.equal(shipped.length + 2);
      const run = async (profile: string): Promise<BenchmarkRun> => {
        const started = await operator.post('/api/benchmarks/runs', { profile });
        const { id }: { id: string } = started.json();
        return eventually(
          async () => (await operator.get(`/api/benchmarks/runs/${id}`)).json() as BenchmarkRun,
          ({ state }) => state !== 'running',
          100_000,
        );
      };
      const done = await run('short');
      expect(done.state, `${done.error}\n${done.lines.join('\n')}`).to.equal('done');
      const [row] = done.rows;
      expect(row).to.include({ op: 'head-1k', concurrency: 1, errors: 0 });
      expect(row?.ops_per_s).to.be.greaterThan(0);
      expect(row?.p95_ms).to.be.greaterThan(0);
      const wrong = await run('wrong');
      expect(wrong.lines.join('\n')).to.include('colour is no key of a profile');
      const service = await operator.post('/api/benchmarks/runs', { profile: 'service-small' });
      expect([service.status, codeOf(service)]).to.deep.equal([501, 'unsupported_here']);
    } finally {
      await bed.close();
      await removeFolder(home);
    }
  });
});
