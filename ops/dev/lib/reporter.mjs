import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';
import { ROOT } from './paths.mjs';
import { sourceOf } from './stages.mjs';

const { Base } = Mocha.reporters;
const { EVENT_RUN_END, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Mocha.Runner.constants;

/**
 * Mocha's reporter for `npm test`: one line a top-level suite, failures in full, and a JSON file
 * for the summary over all stages (`reporterOption.output`):
 * `{ passed, failed, skipped: [{ title, file }] }`.
 */
export default class StageReporter extends Base {
  constructor(runner, options) {
    super(runner, options);
    this.skipped = [];
    let suite = { passed: 0, failed: 0, skipped: 0, startedAt: Date.now() };

    runner.on(EVENT_TEST_PASS, () => suite.passed++);
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      suite.failed++;
      console.log(`    ✗ ${test.fullTitle()}: ${firstLine(error)}`);
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      suite.skipped++;
      this.skipped.push({ title: test.fullTitle(), file: sourceFile(test) });
    });
    runner.on(EVENT_SUITE_END, (ended) => {
      if (!ended.parent?.root) return;
      console.log(`  ${describeSuite(ended.title, suite)}`);
      suite = { passed: 0, failed: 0, skipped: 0, startedAt: Date.now() };
    });
    runner.once(EVENT_RUN_END, () => {
      this.epilogue();
      const { passes: passed, failures: failed } = this.stats;
      const result = { passed, failed, skipped: this.skipped };
      writeFileSync(options.reporterOption.output, JSON.stringify(result));
    });
  }
}

function describeSuite(title, { passed, failed, skipped, startedAt }) {
  const counts = [`${passed} passed`];
  if (failed > 0) counts.push(`${failed} FAILED`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  return `${title}: ${counts.join(', ')} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`;
}

function firstLine(error) {
  return String(error?.message ?? error).split('\n')[0];
}

function sourceFile(test) {
  return test.file === undefined ? 'unknown' : sourceOf(relative(ROOT, test.file));
}
