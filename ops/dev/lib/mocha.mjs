import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import process from 'node:process';
import { MemoryFolder } from './memory-folder.mjs';
import { ROOT } from './paths.mjs';
import { packageFile, run } from './run.mjs';
import { codeOf } from './errors.mjs';

const REPORTS = `${ROOT}/.build/test`;

/** @typedef {Pick<import('./summary.mjs').StageResult, 'passed' | 'failed' | 'skipped'>} Report */

/**
 * Runs one stage of tests in a process of its own.
 *
 * @param {{
 *   name: string,
 *   files: readonly string[],
 *   env: Record<string, string>,
 *   timeoutMs: number,
 * }} stage
 * @param {{
 *   grep?: string | undefined,
 *   coverageFolder?: string | undefined,
 *   isBesideOthers?: boolean,
 *   isInBackground?: boolean,
 * }} [options] beside other stages, each line of output begins with the stage's name; in their
 *   background, it takes what they leave of the processors
 * @returns {Promise<import('./summary.mjs').StageResult>}
 */
export async function runStage(stage, options = {}) {
  const { grep, coverageFolder, isBesideOthers = false, isInBackground = false } = options;
  const output = `${REPORTS}/${stage.name}.json`;
  mkdirSync(REPORTS, { recursive: true });
  rmSync(output, { force: true });

  const startedAt = Date.now();
  console.log(`\n== ${stage.name}: ${stage.files.length} files`);
  const args = [
    packageFile('mocha/bin/mocha.js'),
    '--forbid-only',
    ...['--reporter', './ops/dev/lib/reporter.mjs', '--reporter-option', `output=${output}`],
    ...(grep === undefined ? [] : ['--grep', grep]),
    ...stage.files,
  ];
  const folder = new MemoryFolder();
  const { code, signal, timedOut } = await run(process.execPath, args, {
    env: {
      // The edge reads its header limit from the environment before it starts: SPEC's 64 KiB.
      UWS_HTTP_MAX_HEADERS_SIZE: '65536',
      NODE_V8_COVERAGE: coverageFolder,
      // A notice of the SDK about releases of next year, in every process that loads it.
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      ...folder.env,
      ...stage.env,
    },
    label: isBesideOthers ? stage.name : undefined,
    isInBackground,
    timeoutMs: stage.timeoutMs,
  }).finally(() => folder.remove());
  const seconds = (Date.now() - startedAt) / 1000;
  const result = readReport(output) ?? { passed: 0, failed: [], skipped: [] };
  // A run that died, or could not even load its files, has failed whatever it had counted.
  if (timedOut) fail(stage, result, `hung: killed after ${stage.timeoutMs / 1000} s`);
  else if (signal !== null) fail(stage, result, `ended by ${signal}`);
  else if (code !== 0 && result.failed.length === 0) fail(stage, result, `ended with ${code}`);
  return { name: stage.name, ...result, seconds };
}

/**
 * Reports a failure of the run as a whole: no single test can be named.
 *
 * @param {{ name: string }} stage
 * @param {Report} result
 * @param {string} error
 */
function fail({ name }, result, error) {
  console.log(`FAIL: ${name} ${error}`);
  result.failed.push({ title: `the run of ${name}`, error });
}

/** @param {string} path @returns {Report | null} */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
