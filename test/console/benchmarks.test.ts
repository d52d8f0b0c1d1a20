import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { BenchmarkRun } from '../../console/surfaces/benchmarks/runs.js';
import { Runner } from '../../console/surfaces/benchmarks/runner.js';
import type { BenchmarksView } from '../../console/surfaces/benchmarks/surface.js';
import { isOver } from '../../console/server/runs/run.js';
import { eventually } from '../support/eventually.js';
import { makeTempFolder, removeFolder, useTempFolderOnce } from '../support/temp-folder.js';
import { codeOf, expectRefused, type ConsoleClient } from './support/client.js';
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

/** A benchmark as releases before 1.0 kept it. */
const FORMER = {
  profile: 'fast',
  title: 'Profile fast',
  actor: 'test:tester',
  state: 'interrupted',
  started_unix_s: 1_700_000_000,
  ended_unix_s: 1_700_000_001,
  error: 'It was stopped.',
  rows: (JSON.parse(RESULT) as { rows: unknown[] }).rows,
  lines: ['a line'],
  lines_total: 1,
};

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
      ({ state }) => isOver(state),
    );

  it('lists profiles, and refuses those that are none', async () => {
    const view = await operator.read<BenchmarksView>('/api/benchmarks');
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
    const events = operator.events('/api/events?topics=runs');
    const told = events.next();
    const id = await start('fast');
    const run = await ended(id);
    expect(run.state, run.error?.message).to.equal('done');
    expect(run.actor).to.equal('test:tester');
    expect(run.result?.lines).to.deep.equal([
      `runs ${join(home(), 'profiles', 'fast.json')}`,
      'done',
    ]);
    expect(run.result?.rows).to.deep.equal([
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
      if (event.event !== 'runs') continue;
      expect(event.data).to.include({ id });
      break;
    }
    await told;
    const { items } = await operator.read<BenchmarksView>('/api/benchmarks');
    expect(items.find((one) => one.id === id)?.rows).to.deep.equal(run.result?.rows);
    expect(await readdir(join(bed.stateDir, 'benchmarks'))).to.deep.equal([]);
  });

  it('fails where the program fails, and where it leaves no results', async () => {
    const failed = await ended(await start('fails'));
    expect([failed.state, failed.error?.message]).to.deep.equal([
      'failed',
      'The benchmark program exited with code 3.',
    ]);
    expect(failed.result?.lines).to.include('no');
    const silent = await ended(await start('silent'));
    expect([silent.state, silent.error?.message]).to.deep.equal([
      'failed',
      'The benchmark program produced no results.',
    ]);
  });

  it('keeps the last thousand lines of one that prints much', async () => {
    const { result } = await ended(await start('floods'));
    expect(result?.lines_total).to.equal(3001);
    expect(result?.lines).to.have.length(1000);
    expect(result?.lines.at(-1)).to.equal('line 2999');
  });

  it('runs one at a time, and a cancelled one ends with all that it started', async () => {
    const id = await start('hangs');
    await eventually(
      () => get(id),
      ({ detail }) => detail?.lines.includes('ready') === true,
    );
    const second = await operator.post('/api/benchmarks/runs', { profile: 'fast' });
    expect(codeOf(second)).to.equal('locked');
    expect((await operator.send('DELETE', `/api/runs/${id}`)).status).to.equal(200);
    const run = await ended(id);
    expect([run.state, run.result?.lines.at(-1)]).to.deep.equal(['cancelled', 'ready']);
    await nobodyRuns();
    const answer = await operator.get('/api/audit?action=benchmarks.run.cancel');
    const { items }: { items: { target: string }[] } = answer.json();
    expect(items.map(({ target }) => target)).to.deep.equal([id]);
    expect(codeOf(await operator.send('DELETE', `/api/runs/${id}`))).to.equal('not_found');
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
    try {
      const client = await other.login();
      const id = await start('hangs', client);
      await eventually(
        () => get(id, client),
        ({ detail }) => detail?.lines.includes('ready') === true,
      );
      await other.console.close();
      await nobodyRuns();
      // As a program leaves it whose console was killed, and as a former release kept a benchmark.
      const folder = join(other.stateDir, 'benchmarks');
      const left = join(folder, '00000000-0000-4000-8000-000000000001');
      await mkdir(left);
      const old = '00000000-0000-4000-8000-000000000002';
      await mkdir(join(folder, old));
      await writeFile(join(folder, old, 'run.json'), JSON.stringify({ ...FORMER, id: old }));
      await using again = await startTestBed({ ...overrides, state_dir: other.stateDir });
      const next = await again.login();
      expect((await ended(id, next)).error?.message).to.equal('The console was stopped.');
      expect(await readdir(folder)).to.deep.equal([old]);
      const former = await get(old, next);
      expect(former.error?.message).to.equal('It was stopped.');
      expect(former.result?.lines).to.deep.equal(['a line']);
      const { items } = await next.read<BenchmarksView>('/api/benchmarks');
      expect(items.map((run) => run.id)).to.deep.equal([id, old]);
      expect(items[1]?.rows).to.have.length(1);
    } finally {
      await other.store.close();
      await rm(other.stateDir, { recursive: true, force: true });
    }
  });

  it('is for operators, where it is switched on, with a program that may run', async () => {
    const reader = await bed.login('tester3', 'testing3');
    expect(codeOf(await reader.get('/api/benchmarks'))).to.equal('forbidden');
    await using off = await startTestBed();
    await expectRefused((await off.login()).get('/api/benchmarks'), 403, 'feature_disabled');
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
      const view = await operator.read<BenchmarksView>('/api/benchmarks');
      expect(view.profiles.filter(({ problem }) => problem !== null)).to.deep.equal([]);
      expect(view.profiles.length).to.equal(shipped.length + 2);
      const run = async (profile: string): Promise<BenchmarkRun> => {
        const started = await operator.post('/api/benchmarks/runs', { profile });
        const { id }: { id: string } = started.json();
        return eventually(
          () => operator.read<BenchmarkRun>(`/api/benchmarks/runs/${id}`),
          ({ state }) => isOver(state),
          100_000,
        );
      };
      const done = await run('short');
      expect(done.state, done.result?.lines.join('\n')).to.equal('done');
      const [row] = done.result?.rows ?? [];
      expect(row).to.include({ op: 'head-1k', concurrency: 1, errors: 0 });
      expect(row?.ops_per_s).to.be.greaterThan(0);
      expect(row?.p95_ms).to.be.greaterThan(0);
      const wrong = await run('wrong');
      expect(wrong.result?.lines.join('\n')).to.include('colour is no key of a profile');
      const refused = await operator.post('/api/benchmarks/runs', { profile: 'service-small' });
      await expectRefused(refused, 501, 'unsupported_here');
    } finally {
      await bed.close();
      await removeFolder(home);
    }
  });
});
