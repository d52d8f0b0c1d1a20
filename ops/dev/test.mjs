/**
 * `npm test`: build, check, then of every area the suites that catch most. `npm run test:all` goes on
 * with all others.
 *
 *     npm test                               at most eight minutes on two processors
 *     npm run test:all                       everything, with coverage
 *     npm run test:all -- --no-coverage      everything, without the two minutes of coverage
 *     npm test -- test/http test/s3/xml      all test files whose path begins so
 *     npm test -- test/s3 --grep presigned   and of those only matching titles
 *     npm run test:unit                      what needs no store and no process: under a minute
 *
 * A test that needs something this machine lacks is skipped and named at the end; with
 * RINGWAY_REQUIRE_ALL=1 it fails instead. A test of the whole run that fails runs once more, alone,
 * and is named as unstable if it then passes. The very last line is the totals.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runFailedAgain } from './lib/again.mjs';
import { build } from './lib/build.mjs';
import { reportCoverage, startCoverage } from './lib/coverage.mjs';
import { lint } from './lib/lint.mjs';
import { runStage } from './lib/mocha.mjs';
import { estimate, keepSeconds, nameIn, overBudget, secondsOfStage } from './lib/stage-times.mjs';
import { planStages, runBeside } from './lib/stages.mjs';
import { summarise } from './lib/summary.mjs';
import { messageOf } from './lib/errors.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    grep: { type: 'string', short: 'g' },
    'no-coverage': { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    stage: { type: 'string' },
  },
});
/** Whether stages run with all of their files. */
const areStagesWhole = positionals.length === 0 && values.grep === undefined;
const isWhole = areStagesWhole && values.stage === undefined;
const isCovered = isWhole && values.all && !values['no-coverage'];
/**
 * One after the other: what fails in the first does not keep the second from running.
 *
 * @type {import('./lib/stages.mjs').Size[]}
 */
const sizes = !isWhole ? ['all'] : values.all ? ['quick', 'rest'] : ['quick'];
const results = [];
/** @type {string[]} */
const late = [];

/**
 * A step that is no test counts only when it fails: never `0 failed` beside a red build. Its task
 * returns what failed, one line each.
 *
 * @param {string} name
 * @param {() => Promise<string[]>} task
 */
async function step(name, task) {
  const startedAt = Date.now();
  const failed = (await task()).map((error) => ({ title: name, error }));
  const seconds = (Date.now() - startedAt) / 1000;
  results.push({ name, passed: 0, failed, skipped: [], seconds });
  return failed.length === 0;
}

/**
 * Runs stages beside each other, and what failed in them once more; results are in the order of the
 * stages, whichever ends first.
 *
 * @param {import('./lib/stages.mjs').Size} size
 * @param {ReturnType<typeof planStages>} stages
 * @param {string | undefined} coverageFolder
 */
async function runStages(size, stages, coverageFolder) {
  const options = { grep: values.grep, coverageFolder };
  const ended = new Map();
  const secondsOf = (/** @type {typeof stages[number]} */ { name }) => secondsOfStage(size, name);
  await runBeside(stages, secondsOf, async (stage, place) => {
    ended.set(stage, await runStage(stage, { ...options, ...place }));
  });
  if (!isWhole) return stages.map((stage) => ended.get(stage));
  const results = [];
  for (const stage of stages) {
    results.push(await runFailedAgain(stage, ended.get(stage), { coverageFolder }));
  }
  return results;
}

const isBuilt = await step('build', async () => {
  try {
    await build();
    return [];
  } catch (error) {
    console.log(`FAIL: ${messageOf(error)}`);
    return [messageOf(error)];
  }
});

if (isBuilt) {
  const plans = sizes.map((size) => ({
    size,
    stages: planStages(positionals, undefined, undefined, size).filter(({ name }) =>
      [undefined, name].includes(values.stage),
    ),
  }));
  if (areStagesWhole) console.log(estimate(plans));
  if (isWhole) await step('check', lint);
  if (plans.every(({ stages }) => stages.length === 0)) {
    const wanted = positionals.length === 0 ? '' : ` that begins with ${positionals.join(' or ')}`;
    const ofStage = values.stage === undefined ? '' : ` of the stage ${values.stage}`;
    await step('tests', async () => [`there is no test file${ofStage}${wanted}`]);
  }
  const coverageFolder = isCovered ? startCoverage() : undefined;
  for (const { size, stages } of plans) {
    const ran = await runStages(size, stages, coverageFolder);
    if (areStagesWhole) keepSeconds(size, ran);
    results.push(...ran.map((result) => ({ ...result, name: nameIn(size, result.name) })));
    late.push(...overBudget(size, ran));
  }
  if (isCovered) await step('coverage', reportCoverage);
  for (const line of late) console.log(`OVER BUDGET: ${line}`);
  // On a machine that others use, too, it says nothing of the tests.
  if (process.env.RINGWAY_BUDGETS === '1') await step('budgets', async () => late);
}

console.log('');
for (const line of summarise(results)) console.log(line);
process.exitCode = results.some((result) => result.failed.length > 0) ? 1 : 0;
