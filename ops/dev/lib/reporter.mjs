import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';
import { cpuSeconds } from './cpu-seconds.mjs';
import { ROOT } from './paths.mjs';
import { sourceOf } from './stages.mjs';

const { Base } = Mocha.reporters;
const {
  EVENT_RUN_END,
  EVENT_SUITE_BEGIN,
  EVENT_SUITE_END,
  EVENT_TEST_FAIL,
  EVENT_TEST_PASS,
  EVENT_TEST_PENDING,
} = Mocha.Runner.constants;

/** How much of a message the summary shows: a property test says its seed and counter-example. */
const SHOWN_LINES = 3;
const SHOWN_CHARACTERS = 300;

/**
 * Mocha's reporter for `npm test`: one line a top-level suite, failures in full, and a JSON file
 * for the summary over all stages (`reporterOption.output`):
 * `{ passed, failed: [{ title, file, error }], skipped: [{ title, file }], seconds: { file: number },
 * cpu: { file: number } }`.
 * It is also written at every failure, so that a run which dies later still tells of it.
 */
export default class StageReporter extends Base {
  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions & { reporterOption: { output: string } }} options
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {import('./summary.mjs').StageResult['failed']} */
    const failed = [];
    /** @type {import('./summary.mjs').StageResult['skipped']} */
    const skipped = [];
    /** @type {Record<string, number>} */
    const seconds = {};
    /** @type {Record<string, number>} */
    const cpu = {};
    let suite = newSuite();

    const report = () => {
      const result = { passed: this.stats.passes, failed, skipped, seconds, cpu };
      writeFileSync(options.reporterOption.output, JSON.stringify(result));
    };

    runner.on(EVENT_TEST_PASS, () => suite.passed++);
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      suite.failed++;
      const failure = { title: test.fullTitle(), file: sourceFile(test), error: opening(error) };
      failed.push(failure);
      report();
      console.log(`    ✗ ${failure.title}: ${failure.error}`);
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      suite.skipped++;
      skipped.push({ title: test.fullTitle(), file: sourceFile(test) });
    });
    runner.on(EVENT_SUITE_BEGIN, (begun) => {
      if (begun.parent?.root) suite = newSuite();
    });
    runner.on(EVENT_SUITE_END, (ended) => {
      if (!ended.parent?.root) return;
      const file = sourceFile(ended);
      seconds[file] = (seconds[file] ?? 0) + (Date.now() - suite.startedAt) / 1000;
      cpu[file] = (cpu[file] ?? 0) + cpuSeconds() - suite.cpuAtStart;
      console.log(`  ${describeSuite(ended.title, suite)}`);
    });
    runner.once(EVENT_RUN_END, () => {
      this.epilogue();
      report();
    });
  }
}

function newSuite() {
  return { passed: 0, failed: 0, skipped: 0, startedAt: Date.now(), cpuAtStart: cpuSeconds() };
}

/**
 * @param {string} title
 * @param {{ passed: number, failed: number, skipped: number, startedAt: number }} counted
 */
function describeSuite(title, { passed, failed, skipped, startedAt }) {
  const counts = [`${passed} passed`];
  if (failed > 0) counts.push(`${failed} FAILED`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  return `${title}: ${counts.join(', ')} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`;
}

/** @param {{ message?: string } | undefined} error what a test threw */
function opening(error) {
  const lines = String(error?.message ?? error)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(0, SHOWN_LINES).join(' | ').slice(0, SHOWN_CHARACTERS);
}

/** @param {{ file?: string | undefined }} of a test or a suite */
function sourceFile({ file }) {
  return file === undefined ? 'unknown' : sourceOf(relative(ROOT, file));
}
