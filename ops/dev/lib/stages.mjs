import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { ROOT } from './paths.mjs';
import { isQuick } from './quick.mjs';

/**
 * The suites of the S3 API that run once more on a real cluster: those of what Swift does itself when
 * it is written to, such as copies and parts. The answers of a cluster to each single call of ours,
 * and to its conditions, are the subject of `test/contract/swift.test.ts` and `test/swift`.
 */
const S3_SUITES = [
  'test/integration/copy.test.ts',
  'test/integration/multipart.test.ts',
  'test/integration/versions/states.test.ts',
  'test/integration/versions/writes.test.ts',
];

/** Those that read objects, on a real cluster as well: direct reads differ in nothing else. */
const S3_SUITES_THAT_READ = [
  'test/integration/multipart-reads.test.ts',
  'test/integration/objects.test.ts',
  'test/integration/versions/named-reads.test.ts',
];

/**
 * Those that run on our own Swift API, in seconds: the gateway takes the same ways there as over a
 * cluster.
 */
const S3_SUITES_OVER_SWIFT = [
  'test/integration/acl-requests.test.ts',
  'test/integration/acl-writes.test.ts',
  'test/integration/buckets.test.ts',
  'test/integration/copy.test.ts',
  'test/integration/delete-objects.test.ts',
  'test/integration/extras.test.ts',
  'test/integration/listings.test.ts',
  'test/integration/multipart-listings.test.ts',
  'test/integration/multipart-reads.test.ts',
  'test/integration/object-lock/retention.test.ts',
  'test/integration/objects.test.ts',
  'test/integration/owners.test.ts',
  'test/integration/tagging.test.ts',
  'test/integration/versions/delete-objects.test.ts',
  'test/integration/versions/named-reads.test.ts',
];

/** A client that lists, copies and uploads in parts: the rest runs on an embedded store. */
const CLIENTS_ON_A_CLUSTER = ['test/clients/rclone-multipart.test.ts'];

/**
 * Suites of the S3 API that run once more on a store that fails now and then, with a client that
 * tries again: those without operations of which a half counts, as of DeleteObjects, or which count
 * twice, as a delete marker.
 */
const ON_A_FAULTY_STORE = [
  'test/integration/buckets.test.ts',
  'test/integration/copy.test.ts',
  'test/integration/listings.test.ts',
  'test/integration/multipart.test.ts',
  'test/integration/multipart-reads.test.ts',
  'test/integration/objects.test.ts',
];

/** Suites of the console that run once more on a real cluster; they speak Swift's API in any case. */
const CONSOLE_ON_A_CLUSTER = [
  'test/console/files/edge-names.test.ts',
  'test/console/files/files.test.ts',
  'test/console/files/zip.test.ts',
  'test/integration/console-s3-together.test.ts',
];

/**
 * Suites that open stores or start processes and services: seconds each, and not milliseconds. A
 * name is a folder of `test/` or a file in it.
 */
const COMPONENTS = [
  'backend/decorators',
  'backend/embedded',
  'bench',
  'console',
  'deploy',
  'fuzz',
  'http',
  'janitor',
  'lib/result-output.test.ts',
  'ops',
  's3/bucket/create-bucket.test.ts',
  's3/bucket/delete-bucket.test.ts',
  's3/bucket/segments-acl.test.ts',
  's3/bucket/stale-heads.test.ts',
  's3/multipart/completion-crashes.test.ts',
  's3/operations',
  's3/request/request-cancellation.test.ts',
  's3/retries',
  's3/segments',
  's3/versions',
  's3/xml-pool',
  'supervisor',
  'swift-api',
  'telemetry/access-log.test.ts',
  'telemetry/logger.test.ts',
  'tidy',
];

/** Suites that compare with a program of others, such as Swift's own Python, which they start. */
const ORACLE = /-oracle\.test\.ts$/;

/**
 * @typedef {'quick' | 'rest' | 'all'} Size `quick` is `npm test`, `all` is `npm run test:all`, which
 *   begins with `quick` and goes on with `rest`
 */

/**
 * The stages of a run of tests, in order. A stage takes the folders and files of `test/` that it names; the first
 * takes whatever no other names, so that a new folder of tests is never left out. `npm run test:unit`
 * is the first alone: it is to take less than a minute.
 *
 * {@link BESIDE} of them run beside each other, the longest first: those on a cluster mostly wait (for
 * time-outs of servers that tests have stopped), and others use the processors meanwhile. Those of
 * which no test looks at a clock are patient: one of them runs besides, at a low priority, with what
 * the others leave of the processors.
 *
 * `timeoutMs` bounds a stage that hangs: it is a guard, no measurement, and larger for large files.
 */
export const STAGES = [
  { name: 'unit', folders: null, timeoutMs: 10 * 60_000 },
  { name: 'components', folders: COMPONENTS, timeoutMs: 35 * 60_000 },
  { name: 'contract', folders: ['contract'], isPatient: true, timeoutMs: 15 * 60_000 },
  { name: 'integration', folders: ['integration'], timeoutMs: 30 * 60_000 },
  { name: 'faults', folders: ['faults'], timeoutMs: 20 * 60_000 },
  {
    name: 'swift',
    // And what takes the same cluster, whose start is twenty seconds of processor time.
    folders: ['swift', 'contract/swift.test.ts', 'faults/chaos-kills.test.ts'],
    again: [...S3_SUITES, ...CLIENTS_ON_A_CLUSTER, ...CONSOLE_ON_A_CLUSTER],
    env: { RINGWAY_TEST_STACK: 'swift' },
    needsSwift: true,
    timeoutMs: 30 * 60_000,
  },
  {
    name: 'swift-direct',
    // Versions while servers of the cluster are killed: their indexes are read in both ways there.
    folders: ['faults/swift-versions.test.ts'],
    again: S3_SUITES_THAT_READ,
    env: { RINGWAY_TEST_STACK: 'swift-direct' },
    needsSwift: true,
    timeoutMs: 15 * 60_000,
  },
  {
    name: 'swift-api',
    folders: [],
    again: S3_SUITES_OVER_SWIFT,
    env: { RINGWAY_TEST_STACK: 'swift-api' },
    isPatient: true,
    timeoutMs: 20 * 60_000,
  },
  {
    name: 'faulty-store',
    folders: [],
    again: ON_A_FAULTY_STORE,
    env: { RINGWAY_TEST_STACK: 'faulty' },
    isPatient: true,
    timeoutMs: 10 * 60_000,
  },
  { name: 'clients', folders: ['clients'], isPatient: true, timeoutMs: 50 * 60_000 },
  // Bare machines are made, and packages built and installed there.
  {
    name: 'packages',
    folders: ['clients/packages.test.ts'],
    isPatient: true,
    timeoutMs: 50 * 60_000,
  },
  { name: 'browser', folders: ['browser'], timeoutMs: 25 * 60_000 },
];

const LARGE_FACTOR = process.env.RINGWAY_LARGE === '1' ? 6 : 1;

/** How many stages run beside each other, without a patient one. */
const BESIDE = 2;

/** @typedef {{ isBesideOthers: boolean, isInBackground: boolean }} Place */

/**
 * {@link BESIDE} stages run beside each other; when one ends, the next begins. Patient ones run one by
 * one in the background of these, and as the others when there are no others left.
 *
 * @param {readonly T[]} stages
 * @param {(stage: T) => number} secondsOf what a stage is known to take
 * @param {(stage: T, place: Place) => Promise<void>} run
 * @template {{ name: string, isPatient?: boolean }} T
 */
export async function runBeside(stages, secondsOf, run) {
  const { patient, others } = byPatience(stages, secondsOf);
  const isBesideOthers = stages.length > 1;
  const work = async (
    /** @type {boolean} */ isInBackground,
    /** @type {() => T | undefined} */ next,
  ) => {
    for (let stage = next(); stage !== undefined; stage = next()) {
      await run(stage, { isBesideOthers, isInBackground });
    }
  };
  const workers = Array.from({ length: BESIDE }, () =>
    work(false, () => others.shift() ?? patient.shift()),
  );
  // The workers come first: a patient stage is theirs only where no other is left.
  await Promise.all([...workers, work(true, () => patient.shift())]);
}

/**
 * @param {readonly T[]} stages
 * @param {(stage: T) => number} secondsOf what a stage is known to take
 * @returns how long {@link runBeside} takes where the others leave enough for the background
 * @template {{ name: string, isPatient?: boolean }} T
 */
export function secondsBeside(stages, secondsOf) {
  const { patient, others } = byPatience(stages, secondsOf);
  const workers = Array.from({ length: BESIDE }, () => 0);
  for (const stage of others) {
    const free = workers.indexOf(Math.min(...workers));
    workers[free] = (workers[free] ?? 0) + secondsOf(stage);
  }
  const background = patient.reduce((sum, stage) => sum + secondsOf(stage), 0);
  return Math.max(...workers, background);
}

/**
 * The longest first.
 *
 * @param {readonly T[]} stages
 * @param {(stage: T) => number} secondsOf
 * @template {{ name: string, isPatient?: boolean }} T
 */
function byPatience(stages, secondsOf) {
  const sorted = stages.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  return {
    patient: sorted.filter(({ isPatient }) => isPatient === true),
    others: sorted.filter(({ isPatient }) => isPatient !== true),
  };
}

/** Folders of `test/` without tests of their own. */
const HELPERS = new Set(['support']);

/**
 * @param {readonly string[]} filters path prefixes of test sources, e.g. `test/http`; none means all
 * @param {readonly string[]} [files]
 * @param {boolean} [hasSwift]
 * @param {Size} [size]
 * @returns {{
 *   name: string,
 *   files: string[],
 *   env: Record<string, string>,
 *   isPatient: boolean,
 *   timeoutMs: number,
 * }[]} with compiled files, relative to the checkout; stages without files are left out
 */
export function planStages(
  filters,
  files = compiledTests(),
  hasSwift = isSwiftInstalled(),
  size = 'all',
) {
  const wanted = files.filter((file) => isWanted(sourceOf(file), filters));
  return STAGES.map(({ name, again = [], env = {}, needsSwift = false, isPatient, timeoutMs }) => ({
    name,
    env,
    isPatient: isPatient === true,
    timeoutMs: timeoutMs * LARGE_FACTOR,
    files: wanted
      .filter(
        (file) =>
          stageOf(file) === name || ((hasSwift || !needsSwift) && again.includes(sourceOf(file))),
      )
      .filter((file) => size === 'all' || (size === 'quick') === isQuick(name, sourceOf(file))),
  })).filter((stage) => stage.files.length > 0);
}

/**
 * Whether suites can run on a cluster. Without one, the suites of `test/swift` say what is missing;
 * if all suites are required, they run and fail.
 */
function isSwiftInstalled() {
  return (
    process.env.RINGWAY_REQUIRE_ALL === '1' ||
    ['swift-proxy-server', 'memcached'].every((name) => existsSync(`/usr/bin/${name}`))
  );
}

/**
 * `dist/test/http/back-pressure.test.js` → `test/http/back-pressure.test.ts`
 *
 * @param {string} file
 */
export function sourceOf(file) {
  return file.replace(/^.*?\bdist\//, '').replace(/\.js$/, '.ts');
}

/** @param {string} file */
function stageOf(file) {
  const source = sourceOf(file);
  const holdsFile = (/** @type {string} */ name) => source === `test/${name}`;
  const holds = (/** @type {string} */ name) => source.startsWith(`test/${name}/`);
  // A stage that names the file goes before one that names its folder.
  const stage = [holdsFile, holds]
    .map((isIn) => STAGES.find(({ folders }) => folders?.some(isIn))?.name)
    .find((name) => name !== undefined);
  return stage ?? (ORACLE.test(source) ? 'components' : 'unit');
}

/**
 * @param {string} source
 * @param {readonly string[]} filters
 */
function isWanted(source, filters) {
  return (
    filters.length === 0 || filters.some((prefix) => source.startsWith(prefix.replace(/^\.\//, '')))
  );
}

function compiledTests() {
  const folder = `${ROOT}/dist/test`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js') && !HELPERS.has(name.split('/')[0] ?? ''))
    .map((name) => `dist/test/${name}`)
    .sort();
}
