import { runStage } from './mocha.mjs';
import { sourceOf } from './stages.mjs';

/** More files than this have not failed by chance. */
const FILES_AT_MOST = 3;

/** A wrong answer once in many runs is what these look for: they get no second chance. */
const NEVER_AGAIN = new Set(['contract', 'faults', 'faulty-store']);

/**
 * Runs the files of a stage in which tests failed once more, with nothing beside them, and tells
 * tests that failed both times from those that pass on a quiet machine. The latter are `unstable`:
 * they do not fail the run, and are named at its end so that they get mended.
 *
 * @param
 *   {{ name: string, files: readonly string[], env: Record<string, string>, timeoutMs: number }}
 *   stage
 * @param {import('./summary.mjs').StageResult} result of its first run
 * @param {{ coverageFolder?: string | undefined }} [options]
 * @returns {Promise<import('./summary.mjs').StageResult>}
 */
export async function runFailedAgain(stage, result, options = {}, run = runStage) {
  const files = filesToRepeat(stage, result);
  if (files.length === 0) return result;
  console.log(`\n${stage.name}: once more, alone: ${files.map(sourceOf).join(' ')}`);
  const again = await run({ ...stage, files }, { ...options, grep: titlesToRepeat(files, result) });
  // A test that did not run again has not passed.
  if (again.passed + again.failed.length < result.failed.length) return result;
  const failedAgain = new Set(again.failed.map(({ title }) => title));
  return {
    ...result,
    failed: again.failed,
    unstable: result.failed.filter(({ title }) => !failedAgain.has(title)),
    seconds: result.seconds + again.seconds,
  };
}

/**
 * Compiled files; none if a failure names no file, as that of a stage that hung.
 *
 * @param {{ name: string, files: readonly string[] }} stage
 * @param {import('./summary.mjs').StageResult} result
 */
function filesToRepeat({ name, files }, { failed }) {
  if (NEVER_AGAIN.has(name)) return [];
  const sources = new Set(failed.map(({ file }) => file));
  const repeated = files.filter((file) => sources.has(sourceOf(file)));
  return repeated.length === sources.size && sources.size <= FILES_AT_MOST ? repeated : [];
}

/**
 * Each test of a contract has containers of its own, and the file takes two minutes; tests of other
 * files may go on where the one before has ended.
 *
 * @param {readonly string[]} files
 * @param {import('./summary.mjs').StageResult} result
 * @returns {string | undefined} what `--grep` of mocha takes
 */
function titlesToRepeat(files, { failed }) {
  if (!files.every((file) => sourceOf(file).startsWith('test/contract/'))) return undefined;
  if (failed.some(({ title }) => title.includes('" hook '))) return undefined;
  return failed.map(({ title }) => `^${title.replace(/[^\w ]/g, '\\$&')}$`).join('|');
}
