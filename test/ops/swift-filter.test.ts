import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { runProgram } from '../support/programs.js';

const FILTER = join(process.cwd(), 'ops/swift');

/** That the tests were found. */
const TESTS_MIN = 100;

/** The filter's own tests, in its own language: they need Swift's modules, but no Swift. */
describeWith([pythonModule('swift')], "filter in Swift's proxies", function () {
  this.timeout(120_000);

  it('passes its own tests', async () => {
    const { code, stderr } = await runProgram(
      'python3',
      // -B: leaves no compiled files in the source.
      ['-B', '-W', 'ignore::ResourceWarning', '-m', 'unittest', 'discover', '-t', '.', 'tests'],
      { cwd: FILTER },
    );
    expect(code, stderr).to.equal(0);
    expect(Number(/^Ran (\d+) tests/mu.exec(stderr)?.[1])).to.be.at.least(TESTS_MIN);
  });
});
