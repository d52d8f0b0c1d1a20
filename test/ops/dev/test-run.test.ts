import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeTempFolder, removeFolder } from '../../support/temp-folder.js';
import { loadTool, toolPath, type Stage, type StageResult } from './tools.js';

const FILES = [
  'dist/test/http/server.test.js',
  'dist/test/contract/embedded.test.js',
  'dist/test/clients/rclone.test.js',
  'dist/test/something-new/x.test.js',
  'dist/test/uri.test.js',
  'dist/test/something-new/x-oracle.test.js',
  'dist/test/lib/result-output.test.js',
];

function sources(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`);
}

function compiled(source: string): string {
  return `dist/${source.replace(/ts$/, 'js')}`;
}

describe('npm test: stages', () => {
  it('gives every file to one stage, unknown folders to the first', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const plan = planStages([], FILES).map(({ name, files }) => ({ name, files }));
    expect(plan).to.deep.equal([
      { name: 'unit', files: [FILES[3], FILES[4]] },
      { name: 'components', files: [FILES[0], FILES[5], FILES[6]] },
      { name: 'contract', files: [FILES[1]] },
      { name: 'clients', files: [FILES[2]] },
    ]);
  });

  it('keeps suites that open a store or start a process out of the first, which is to be quick', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const slow = sources().filter((source) =>
      /\b(?:openEmbeddedStore|startService|spawn|spawnSync|fork)\(/.test(
        readFileSync(source, 'utf8'),
      ),
    );
    const files = slow.map(compiled);
    const [first] = planStages([], [...files, ...FILES]);
    expect(first).to.include({ name: 'unit' });
    expect(first?.files.filter((file) => files.includes(file))).to.deep.equal([]);
    expect(slow).to.include('test/s3/bucket/create-bucket.test.ts');
  });

  it('runs suites of the S3 API again on other stores, a real cluster where there is one', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const file = 'dist/test/integration/objects.test.js';
    const names = (hasSwift: boolean) => planStages([], [file], hasSwift).map((s) => s.name);
    expect(names(false)).to.deep.equal(['integration', 'swift-api', 'faulty-store']);
    expect(names(true)).to.deep.equal([
      'integration',
      'swift',
      'swift-direct',
      'swift-api',
      'faulty-store',
    ]);
    const [, swift] = planStages([], [file], true);
    expect(swift?.env).to.deep.equal({ RINGWAY_TEST_STACK: 'swift' });
    const console = 'dist/test/console/files/files.test.js';
    const stages = planStages([], [console], true).map(({ name }) => name);
    expect(stages).to.deep.equal(['components', 'swift']);
  });

  it('runs those on a cluster beside the others, each lane in order', async () => {
    const { lanesOf } = await loadTool('lib/stages.mjs');
    const stages = ['unit', 'contract', 'integration', 'faults', 'clients'].map((name) => ({
      name,
    }));
    const names = lanesOf(stages).map((lane) => lane.map(({ name }) => name));
    expect(names).to.deep.equal([
      ['unit', 'integration', 'clients'],
      ['contract', 'faults'],
    ]);
    expect(lanesOf([{ name: 'faults' }])).to.deep.equal([[{ name: 'faults' }]]);
  });

  it('says what they will take, of which the longest lane counts', async () => {
    const { estimate } = await loadTool('lib/stage-times.mjs');
    const stages = ['unit', 'integration', 'swift', 'browser'].map((name) => ({ name }));
    const seconds = {
      ...{ 'quick unit': 50, 'quick integration': 100, 'quick swift': 30 },
      ...{ 'rest integration': 400, 'rest swift': 130 },
    };
    const unit = [{ name: 'unit' }];
    expect(estimate([{ size: 'quick', stages }], seconds)).to.equal(
      'This runs about 3 min (unit 50 s, integration 2 min, swift 30 s, some of it side by side); not measured yet: browser.',
    );
    expect(estimate([{ size: 'all', stages: [{ name: 'swift' }] }], seconds)).to.equal(
      'This runs about 3 min (swift 3 min).',
    );
    const rest = [{ name: 'integration' }, { name: 'swift' }];
    const parts = [
      { size: 'quick', stages: unit },
      { size: 'rest', stages: rest },
    ] as const;
    expect(estimate(parts, seconds)).to.equal(
      'This runs about 8 min (unit 50 s, rest of integration 7 min, rest of swift 2 min, some of it side by side).',
    );
    expect(estimate([{ size: 'quick', stages: unit }], {})).to.equal(
      'This runs for an unknown time; not measured yet: unit.',
    );
  });

  it('runs every file once: in `npm test`, or in what `npm run test:all` runs after it', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const placed = (size: 'quick' | 'rest' | 'all') =>
      planStages([], sources().map(compiled), true, size).flatMap(({ name, files }) =>
        files.map((file) => `${name} ${file}`),
      );
    const [quick, rest] = [placed('quick'), placed('rest')];
    expect([...quick, ...rest].sort()).to.deep.equal(placed('all').sort());
    expect(quick).to.include('unit dist/test/s3/rules/conditions.test.js');
    expect(rest).to.include('swift dist/test/integration/objects.test.js');
  });

  it('names only suites for `npm test` that are there', async () => {
    const { missingFrom } = await loadTool('lib/quick.mjs');
    expect(missingFrom(sources())).to.deep.equal([]);
    expect(missingFrom(['test/http/edge.test.ts'])).to.not.deep.equal([]);
  });

  it('has a budget for every part of a stage, within the limit of the run', async () => {
    const { lanesOf, planStages } = await loadTool('lib/stages.mjs');
    const { budgets, LIMITS_S, overBudget } = await loadTool('lib/stage-times.mjs');
    const all = budgets();
    const longest = (size: 'quick' | 'rest'): number => {
      const stages = planStages([], sources().map(compiled), true, size);
      for (const { name } of stages) expect(all, name).to.have.property(`${size} ${name}`);
      const lanes = lanesOf(stages).map((lane) =>
        lane.reduce((sum, { name }) => sum + (all[`${size} ${name}`] ?? 0), 0),
      );
      return Math.max(...lanes);
    };
    expect(longest('quick')).to.be.at.most(LIMITS_S.quick);
    expect(longest('quick') + longest('rest')).to.be.at.most(LIMITS_S.all);
    const took = (seconds: number) =>
      overBudget('rest', [{ name: 'a', seconds }], { 'rest a': 10 });
    expect(took(10)).to.deep.equal([]);
    expect(took(10.6)).to.deep.equal([
      'rest of a took 11 s, and 10 are its budget (ops/dev/stage-budgets.json)',
    ]);
  });

  it('takes prefixes of source paths', async () => {
    const { planStages } = await loadTool('lib/stages.mjs');
    const files = (...filters: string[]) => planStages(filters, FILES).flatMap((s) => s.files);
    expect(files('test/http')).to.deep.equal([FILES[0]]);
    expect(files('./test/clients/rclone.test.ts', 'test/uri')).to.deep.equal([FILES[4], FILES[2]]);
    expect(files('test/absent')).to.deep.equal([]);
  });
});

function stage(name: string, more: Partial<StageResult>): StageResult {
  return { name, passed: 0, failed: [], skipped: [], seconds: 1, ...more };
}

describe('npm test: once more', () => {
  const failure = (title: string, file: string) => ({ title, file, error: 'late' });
  const files = ['dist/test/a.test.js', 'dist/test/b.test.js', 'dist/test/c.test.js'];

  /** The result, and which files ran once more; in that run `failing` fails again. */
  async function again(first: StageResult, failing: StageResult['failed'] = []) {
    const { runFailedAgain } = await loadTool('lib/again.mjs');
    const ran: string[] = [];
    const result = await runFailedAgain(
      { name: first.name, files },
      first,
      {},
      (repeated: Stage) => {
        ran.push(...repeated.files);
        return Promise.resolve(stage(first.name, { passed: 1, failed: failing }));
      },
    );
    return { result, ran };
  }

  it('tells what fails again from what passes alone', async () => {
    const [once, twice] = [failure('once', 'test/a.test.ts'), failure('twice', 'test/c.test.ts')];
    const { result, ran } = await again(stage('unit', { passed: 9, failed: [once, twice] }), [
      twice,
    ]);
    expect(ran).to.deep.equal([files[0], files[2]]);
    expect(result).to.deep.include({ passed: 9, failed: [twice], unstable: [once], seconds: 2 });
  });

  it('counts what fails only the second time as a failure', async () => {
    const second = failure('second', 'test/a.test.ts');
    const { result } = await again(stage('unit', { failed: [failure('x', 'test/a.test.ts')] }), [
      second,
    ]);
    expect(result.failed).to.deep.equal([second]);
  });

  it('gives no second chance to races, to a stage that hung, or to many files', async () => {
    const one = failure('x', 'test/a.test.ts');
    const many = ['a', 'b', 'c', 'd'].map((name) => failure(name, `test/${name}.test.ts`));
    for (const first of [
      stage('unit', {}),
      stage('faults', { failed: [one] }),
      stage('contract', { failed: [one] }),
      stage('faulty-store', { failed: [one] }),
      stage('unit', { failed: [one, { title: 'the run of unit', error: 'hung' }] }),
      stage('unit', { failed: many }),
    ]) {
      const { result, ran } = await again(first);
      expect(ran, first.name).to.deep.equal([]);
      expect(result).to.equal(first);
    }
  });
});

describe('npm test: summary', () => {
  it('ends with the totals, after what is missing and what failed', async () => {
    const { summarise } = await loadTool('lib/summary.mjs');
    const title = (test: string) => `client: s3cmd [SKIPPED: s3cmd not installed] ${test}`;
    const file = 'test/clients/s3cmd.test.ts';
    const rclone = 'test/clients/rclone.test.ts';
    const lines = summarise([
      stage('unit', {
        passed: 40,
        skipped: [{ title: 'some pending test', file: 'test/a.test.ts' }],
      }),
      stage('clients', {
        passed: 2,
        failed: [{ title: 'client: rclone syncs', file: rclone, error: 'expected 1 to equal 2' }],
        skipped: [
          { title: title('puts'), file },
          { title: title('gets'), file },
        ],
      }),
      stage('browser', {
        failed: [{ title: 'the run of browser', error: 'hung: killed after 6 s' }],
      }),
      stage('swift', {
        passed: 3,
        unstable: [{ title: 'moves on', file: 'test/swift/x.test.ts', error: 'timeout' }],
      }),
    ]);
    expect(lines).to.deep.equal([
      ' ok  unit     40 passed, 0 failed, 1 skipped  (1 s)',
      'FAIL clients  2 passed, 1 failed, 2 skipped  (1 s)',
      '     ✗ client: rclone syncs: expected 1 to equal 2',
      'FAIL browser  0 passed, 1 failed, 0 skipped  (1 s)',
      '     ✗ the run of browser: hung: killed after 6 s',
      ' ok  swift    3 passed, 0 failed, 0 skipped  (1 s)',
      '     ~ unstable: moves on: timeout',
      '',
      'SKIPPED: "some pending test" is pending → test/a.test.ts',
      'SKIPPED: s3cmd not installed → test/clients/s3cmd.test.ts',
      '',
      'UNSTABLE: moves on → test/swift/x.test.ts',
      '        timeout',
      '',
      'FAILED: client: rclone syncs → test/clients/rclone.test.ts',
      '        expected 1 to equal 2',
      'FAILED: the run of browser',
      '        hung: killed after 6 s',
      '',
      '45 passed, 2 failed, 3 skipped, 1 unstable',
    ]);
  });
});

describe('npm test: reporter', () => {
  let folder: string;

  before(async () => {
    folder = await makeTempFolder('reporter');
  });

  after(() => removeFolder(folder));

  /** Runs a file of tests in a mocha of its own. */
  async function report(source: string): Promise<Omit<StageResult, 'name' | 'seconds'>> {
    const file = join(folder, 'some.test.cjs');
    const output = join(folder, 'report.json');
    await writeFile(file, source);
    const reporter = ['--reporter', toolPath('lib/reporter.mjs')];
    const options = ['--no-config', '--reporter-option', `output=${output}`];
    const mocha = join(process.cwd(), 'node_modules/mocha/bin/mocha.js');
    spawnSync(process.execPath, [mocha, ...reporter, ...options, file]);
    return JSON.parse(await readFile(output, 'utf8')) as Omit<StageResult, 'name' | 'seconds'>;
  }

  it('names what failed, with the file and the first lines of the error', async () => {
    const { passed, failed, skipped } = await report(`
      describe('suite', () => {
        it('passes', () => {});
        it('waits');
        it('fails', () => { throw new Error('Property failed\\n\\n  { seed: 1 }\\nas [2]\\nmore'); });
      });
      describe('hooked', () => {
        before('it all', () => { throw new Error('not ready'); });
        it('is not reached', () => {});
      });`);
    const [file] = failed.map((failure) => failure.file);
    expect(file).to.match(/some\.test\.cjs$/);
    expect({ passed, failed, skipped }).to.deep.equal({
      passed: 1,
      failed: [
        { title: 'suite fails', file, error: 'Property failed | { seed: 1 } | as [2]' },
        {
          title: 'hooked "before all" hook: it all for "is not reached"',
          file,
          error: 'not ready',
        },
      ],
      skipped: [{ title: 'suite waits', file }],
    });
  });

  it('has printed a failure when the run dies after it', async () => {
    const { passed, failed } = await report(`
      it('passes', () => {});
      it('fails', () => { throw new Error('first'); });
      it('dies', () => process.kill(process.pid, 'SIGKILL'));`);
    expect(passed).to.equal(1);
    expect(failed.map(({ title }) => title)).to.deep.equal(['fails']);
  });
});

describe('npm test: the output of a stage', () => {
  it('begins each line with the name of its stage where stages run beside each other', () => {
    const printed = 'console.log("one\\n\\ntwo"); console.error("three")';
    const script = `import { run } from ${JSON.stringify(toolPath('lib/run.mjs'))};
      const args = ['-e', ${JSON.stringify(printed)}];
      await run(process.execPath, args, { label: 'unit' });`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    const lines = stdout.toString().split('\n').sort();
    expect(lines).to.deep.equal(['', '', 'unit | one', 'unit | three', 'unit | two']);
  });
});

describe('npm test: the end of a run', () => {
  it('of tests that were interrupted is the end of all', () => {
    const script = `import { run } from ${JSON.stringify(toolPath('lib/run.mjs'))};
      const wait = ['-e', 'process.kill(process.ppid, "SIGINT"); setInterval(() => {}, 1000)'];
      const first = await run(process.execPath, wait);
      const second = await run(process.execPath, ['-e', 'console.log("goes on")']);
      console.log(first.signal, second.signal, second.code);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.toString()).to.equal('SIGINT SIGINT 130\n');
  });

  for (const [how, script, code, signal] of [
    ['by itself', 'process.exitCode = 7', 7, null],
    ['by a signal', "process.kill(process.pid, 'SIGTERM')", 143, 'SIGTERM'],
    ['by a crash', "process.kill(process.pid, 'SIGSEGV')", 139, 'SIGSEGV'],
  ] as const) {
    it(`${how} is told apart`, async () => {
      const { run } = await loadTool('lib/run.mjs');
      const ended = await run(process.execPath, ['-e', script]);
      expect(ended).to.include({ code, signal, timedOut: false });
    });
  }
});
