/**
 * `npm test`: build, check, then every stage of tests with coverage.
 *
 *     npm test                               everything
 *     npm test -- test/http test/s3/xml      only test files whose path begins so, without coverage
 *     npm test -- test/s3 --grep presigned   and of those only matching titles
 *
 * A test that needs something this machine lacks is skipped and named at the end; with
 * RINGWAY_REQUIRE_ALL=1 it fails instead. The very last line is the totals.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from './lib/build.mjs';
import { reportCoverage, startCoverage } from './lib/coverage.mjs';
import { lint } from './lib/lint.mjs';
import { runStage } from './lib/mocha.mjs';
import { planStages } from './lib/stages.mjs';
import { summarise } from './lib/summary.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string', short: 'g' } },
});
const isWhole = positionals.length === 0 && values.grep === undefined;
const results = [];

/** A step that is no test counts only when it fails: never `0 failed` beside a red build. */
async function step(name, task) {
  const startedAt = Date.now();
  const failures = await task();
  const seconds = (Date.now() - startedAt) / 1000;
  results.push({ name, passed: 0, failed: failures, skipped: [], seconds });
  return failures === 0;
}

const isBuilt = await step('build', async () => {
  try {
    await build();
    return 0;
  } catch (error) {
    console.log(`FAIL: ${error.message}`);
    return 1;
  }
});

if (isBuilt) {
  if (isWhole) await step('check', async () => (await lint()).length);
  const stages = planStages(positionals);
  if (stages.length === 0) {
    console.log(`no test file begins with ${positionals.join(' or ')}`);
    await step('tests', async () => 1);
  }
  const coverageFolder = isWhole ? startCoverage() : undefined;
  for (const stage of stages) {
    results.push(await runStage(stage, { grep: values.grep, coverageFolder }));
  }
  if (isWhole) await step('coverage', async () => ((await reportCoverage()) ? 0 : 1));
}

console.log('');
for (const line of summarise(results)) console.log(line);
process.exitCode = results.some((result) => result.failed > 0) ? 1 : 0;
