import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { loadTool, toolPath, type Stage, type StageResult } from './tools.js';

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

  it('keeps a failure whose test did not run again', async () => {
    const first = stage('swift', { failed: [failure('lists', 'test/a.test.ts')] });
    const { runFailedAgain } = await loadTool('lib/again.mjs');
    const nothing = () => Promise.resolve(stage('swift', {}));
    const result = await runFailedAgain({ name: 'swift', files }, first, {}, nothing);
    expect(result).to.deep.equal(first);
  });

  it('repeats of a contract only what failed', async () => {
    const { runFailedAgain } = await loadTool('lib/again.mjs');
    const greps: (string | undefined)[] = [];
    const repeat = async (title: string, source: string): Promise<void> => {
      await runFailedAgain(
        { name: 'swift', files: [`dist/${source.replace('.ts', '.js')}`] },
        stage('swift', { failed: [failure(title, source)] }),
        {},
        (_stage, { grep }) => {
          greps.push(grep);
          return Promise.resolve(stage('swift', { passed: 1 }));
        },
      );
    };
    await repeat('a store (Swift) lists', 'test/contract/swift.test.ts');
    await repeat('"before all" hook for "lists"', 'test/contract/swift.test.ts');
    await repeat('a store lists', 'test/swift/lists.test.ts');
    expect(greps).to.deep.equal(['^a store \\(Swift\\) lists$', undefined, undefined]);
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
  const folder = useTempFolderOnce('reporter');

  /** Runs a file of tests in a mocha of its own. */
  async function report(source: string): Promise<Omit<StageResult, 'name' | 'seconds'>> {
    const file = join(folder(), 'some.test.cjs');
    const output = join(folder(), 'report.json');
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

  it('that hangs is the end of what it has started', async () => {
    const { run } = await loadTool('lib/run.mjs');
    // Its own child holds stdout open, for which the caller waits.
    const script = `require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' })`;
    const ended = await run(process.execPath, ['-e', script], { label: 'hung', timeoutMs: 2000 });
    expect(ended).to.include({ signal: 'SIGKILL', timedOut: true });
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
