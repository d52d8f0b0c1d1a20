import { expect } from 'chai';
import Mocha from 'mocha';
import { describeWith, type Need } from '../../support/needs.js';

const MISSING: Need = { name: 'no-such-tool', isMet: () => false };
const PRESENT: Need = { name: 'some-tool', isMet: () => true };

interface Outcome {
  readonly passes: number;
  readonly failures: number;
  readonly pending: number;
  readonly titles: readonly string[];
}

/** Mocha asks for a constructor. */
function SilentReporter(): void {
  // The results of the inner mocha are asserted, not shown.
}

/** Declares a suite with one test in a mocha of its own, and runs it. */
async function runWith(needs: readonly Need[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const mocha = new Mocha({ reporter: SilentReporter as never });
  const inner = {} as typeof globalThis;
  mocha.suite.emit('pre-require', inner, '', mocha);
  const outer = { describe: globalThis.describe, it: globalThis.it };
  Object.assign(globalThis, { describe: inner.describe, it: inner.it });
  try {
    describeWith(needs, 'suite', () => it('works', () => undefined), env);
  } finally {
    Object.assign(globalThis, outer);
  }
  const titles: string[] = [];
  mocha.suite.eachTest((test) => titles.push(test.fullTitle()));
  return new Promise((resolve) => {
    const runner = mocha.run(() => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      resolve({ passes, failures, pending, titles });
    });
  });
}

describe('test/support/needs', () => {
  it('runs a suite that has what it needs', async () => {
    const outcome = await runWith([PRESENT], { RINGWAY_REQUIRE_ALL: '1' });
    expect(outcome).to.include({ passes: 1, failures: 0, pending: 0 });
  });

  it('skips a suite that lacks something, and names it', async () => {
    const outcome = await runWith([PRESENT, MISSING], {});
    expect(outcome).to.include({ passes: 0, failures: 0, pending: 1 });
    expect(outcome.titles).to.deep.equal(['suite [SKIPPED: no-such-tool not installed] works']);
  });

  it('fails a suite that lacks something where everything is required', async () => {
    const outcome = await runWith([MISSING], { RINGWAY_REQUIRE_ALL: '1' });
    expect(outcome).to.include({ passes: 0, failures: 1, pending: 0 });
  });
});
