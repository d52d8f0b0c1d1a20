/**
 * `npm test`: build, check, then every stage of tests with coverage.
 *
 *     npm test                               everything
 *     npm test -- --no-coverage              everything, without the two minutes of coverage
 *     npm test -- test/http test/s3/xml      only test files whose path begins so, without coverage
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
import { estimate, keepSeconds } from './lib/stage-times.mjs';
import { lanesOf, planStages } from './lib/stages.mjs';
import { summarise } from './lib/summary.mjs';
import { messageOf } from './lib/errors.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    grep: { type: 'string', short: 'g' },
    'no-coverage': { type: 'boolean', default: false },
    stage: { type: 'string' },
  },
});
/** Whether stages run with all of their files. */
const areStagesWhole = positionals.length === 0 && values.grep === undefined;
const isWhole = areStagesWhole && values.stage === undefined;
const isCovered = isWhole && !values['no-coverage'];
const results = [];

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
 * Runs lanes beside each other, and what failed in them once more; results are in the order of the
 * stages, whichever ends first.
 *
 * @param {ReturnType<typeof planStages>} stages
 * @param {string | undefined} coverageFolder
 */
async function runLanes(stages, coverageFolder) {
  const lanes = lanesOf(stages);
  const options = { grep: values.grep, coverageFolder, isBesideOthers: lanes.length > 1 };
  const ended = new Map();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const stage of lane) ended.set(stage, await runStage(stage, options));
    }),
  );
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
  const { stage } = values;
  const stages = planStages(positionals).filter(({ name }) => [undefined, name].includes(stage));
  if (areStagesWhole) console.log(estimate(stages));
  if (isWhole) await step('check', lint);
  if (stages.length === 0) {
    const wanted = positionals.length === 0 ? '' : ` that begins with ${positionals.join(' or ')}`;
    const ofStage = stage === undefined ? '' : ` of the stage ${stage}`;
    await step('tests', async () => [`there is no test file${ofStage}${wanted}`]);
  }
  const coverageFolder = isCovered ? startCoverage() : undefined;
  const ran = await runLanes(stages, coverageFolder);
  if (areStagesWhole) keepSeconds(ran);
  results.push(...ran);
  if (isCovered) await step('coverage', reportCoverage);
}

console.log('');
for (const line of summarise(results)) console.log(line);
process.exitCode = results.some((result) => result.failed.length > 0) ? 1 : 0;
