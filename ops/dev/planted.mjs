/**
 * `npm run test:planted`: how strong the tests are, as a figure. Plants the bugs of
 * `ops/dev/planted/` one at a time in a copy of the checkout, and runs the suites that have to fail.
 *
 *     npm run test:planted                      all of them, about half an hour on two processors
 *     npm run test:planted -- console s3/auth   those whose names begin so
 *     npm run test:planted -- --suite quick     with the suites of `npm test` alone
 *     npm run test:planted -- --beside 4        so many copies beside each other
 *     npm run test:planted -- --list            only their names
 *
 * The suites of `npm test` are tried first, and the rest on what they do not notice: one run gives the
 * scores of both. Survivors are named, with the scores in the last lines. The exit code is 1 below
 * 97 %, with the suites of `npm test` below 85 %, and when a bug's text or tests are not there any
 * more.
 */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from './lib/build.mjs';
import { ROOT } from './lib/paths.mjs';
import { PlantedCopy } from './lib/planted-copy.mjs';
import { plant, plantedBugs, readSources, staleness } from './lib/planted.mjs';

/**
 * @typedef {import('./lib/planted.mjs').PlantedBug} PlantedBug
 * @typedef {import('./lib/stages.mjs').Size} Size
 * @typedef {{ verdict: string, why: string, size: Size }} Verdict
 */

/** By the run whose suites were tried last. */
const CAUGHT_MIN = { quick: 0.85, rest: 0.97, all: 0.97 };
const NO_TEST = ': no test ran';
const COMMAND = { quick: 'npm test', rest: 'npm run test:all', all: 'npm run test:all' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    beside: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    list: { type: 'boolean', default: false },
    suite: { type: 'string', default: 'all' },
  },
});
/** @type {readonly [Size, ...Size[]]} */
const sizes = sizesOf(values.suite);
const bugs = plantedBugs(positionals);
if (values.list) for (const { name, file } of bugs) console.log(`${name}  (${file})`);
else process.exitCode = (await main()) ? 0 : 1;

async function main() {
  await build();
  const sources = readSources(ROOT);
  const stale = bugs.flatMap((bug) => {
    const reason = staleness(bug, sources, ROOT);
    return reason === undefined ? [] : [{ ...bug, reason }];
  });
  for (const { name, reason } of stale) console.log(`STALE     ${name}: ${reason}`);
  const staleNames = new Set(stale.map(({ name }) => name));
  const outcomes = await tryAll(
    bugs.filter(({ name }) => !staleNames.has(name)),
    sources,
  );
  return report(outcomes, stale);
}

/** @param {string} suite @returns {[Size, ...Size[]]} the runs whose suites are tried, in turn */
function sizesOf(suite) {
  if (suite === 'quick') return ['quick'];
  if (suite === 'all') return ['quick', 'rest'];
  throw new Error(`--suite ${suite}: expected quick or all`);
}

/**
 * Copies take the next bug as they get free.
 *
 * @param {readonly PlantedBug[]} bugs
 * @param {Map<string, string>} sources
 * @returns outcomes, in the order of their ends
 */
async function tryAll(bugs, sources) {
  const copies = Array.from({ length: Number(values.beside) }, () => new PlantedCopy());
  // A run that is stopped leaves no copies behind.
  const removeCopies = () => copies.forEach((copy) => copy.remove());
  process.once('exit', removeCopies);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const [first] = copies;
  if (first === undefined) throw new Error('--beside is at least 1');
  const failsAnyway = await baseline(first, bugs);
  const waiting = [...bugs];
  /** @type {(Verdict & { bug: PlantedBug })[]} */
  const outcomes = [];
  await Promise.all(
    copies.map(async (copy) => {
      for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
        const startedAt = Date.now();
        const planted = plant(bug, sources);
        if ('stale' in planted) throw new Error(`${bug.name}: ${planted.stale}`);
        const outcome = await copy.with(planted, () => tryOne(copy, bug, failsAnyway));
        outcomes.push({ bug, ...outcome });
        const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
        const { verdict, size, why } = outcome;
        console.log(`${verdict.padEnd(9)} ${bug.name} (${size}, ${seconds} s)${why}`);
      }
    }),
  );
  return outcomes;
}

/**
 * @param {PlantedCopy} copy with the bug in it
 * @param {PlantedBug} bug
 * @param {ReadonlySet<string>} failsAnyway titles
 * @returns {Promise<Verdict>} of the first run that notices it, or else of the last
 */
async function tryOne(copy, bug, failsAnyway) {
  const [first, ...others] = sizes;
  let verdict = await tryWith(first);
  for (const size of others) {
    if (verdict.verdict === 'caught' || verdict.verdict === 'BROKEN') break;
    const next = await tryWith(size);
    if (next.why !== NO_TEST) verdict = next;
  }
  return verdict;

  /** @param {Size} size @returns {Promise<Verdict>} */
  async function tryWith(size) {
    return { ...judge(await copy.run(bug, { size }), failsAnyway), size };
  }
}

/**
 * The suites without a bug: a test that fails then notices nothing.
 *
 * @param {PlantedCopy} copy
 * @param {readonly PlantedBug[]} bugs
 * @returns {Promise<Set<string>>} titles
 */
async function baseline(copy, bugs) {
  console.log(`planted: ${bugs.length} bugs; first their suites without any`);
  /** @type {Map<string | undefined, string[]>} */
  const byGrep = new Map();
  for (const { tests, grep } of bugs) byGrep.set(grep, [...(byGrep.get(grep) ?? []), ...tests]);
  /** @type {Set<string>} */
  const failsAnyway = new Set();
  for (const [grep, tests] of byGrep) {
    for (const size of sizes) {
      const which = { tests: [...new Set(tests)], grep };
      const { failed } = await copy.run(which, { size, bail: false });
      for (const title of failed) failsAnyway.add(title);
    }
  }
  for (const title of failsAnyway) console.log(`fails without a bug: ${title}`);
  return failsAnyway;
}

/**
 * @param {Awaited<ReturnType<PlantedCopy['run']>>} outcome
 * @param {ReadonlySet<string>} failsAnyway titles
 * @returns {Omit<Verdict, 'size'>}
 */
function judge({ failed, isBroken, passed, skipped, hung }, failsAnyway) {
  const noticed = failed.filter((title) => !failsAnyway.has(title));
  if (isBroken) return { verdict: 'BROKEN', why: ': with it the file is no program any more' };
  if (noticed.length > 0) return { verdict: 'caught', why: `: ${noticed[0]}` };
  if (hung) return { verdict: 'caught', why: ': the suite hung' };
  if (passed === 0 && skipped.length > 0) return { verdict: 'skipped', why: `: ${skipped[0]}` };
  return { verdict: 'SURVIVED', why: passed === 0 ? NO_TEST : '' };
}

/**
 * @param {readonly (Verdict & { bug: PlantedBug })[]} outcomes
 * @param {readonly { name: string }[]} stale
 * @returns {boolean} whether that is good enough
 */
function report(outcomes, stale) {
  const of = (/** @type {string} */ verdict) =>
    outcomes.filter((outcome) => outcome.verdict === verdict);
  console.log('');
  for (const { bug } of [...of('BROKEN'), ...of('SURVIVED')]) {
    console.log(
      `NOT CAUGHT: ${bug.name}\n    in ${bug.file}; ought to fail: ${bug.tests.join(' ')}`,
    );
  }
  const tried = outcomes.length - of('skipped').length;
  const counts = `${of('skipped').length} skipped, ${stale.length} stale`;
  const isGood = sizes.map((size, index) => {
    const until = sizes.slice(0, index + 1);
    const caught = of('caught').filter((outcome) => until.includes(outcome.size)).length;
    const share = tried === 0 ? 0 : caught / tried;
    console.log(
      `${caught} of ${tried} planted bugs caught (${(share * 100).toFixed(1)} %) ` +
        `by ${COMMAND[size]}, ${counts}`,
    );
    return share >= CAUGHT_MIN[size];
  });
  return stale.length === 0 && isGood.every(Boolean);
}
