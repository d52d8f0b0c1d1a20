/** The mark that `test/support/needs.ts` puts into the title of a suite that cannot run here. */
const MARK = /\[SKIPPED: (?<need>[^\]]+)\]/;

/**
 * The result of one stage. A failure of the stage as a whole names no file.
 *
 * @typedef {object} StageResult
 * @property {string} name
 * @property {number} passed
 * @property {{ title: string, file?: string, error: string }[]} failed
 * @property {{ title: string, file: string }[]} skipped
 * @property {{ title: string, file?: string, error: string }[]} [unstable] failed beside other
 *   stages, and passed alone
 * @property {number} seconds
 */

/**
 * The end of `npm test`: stages, each with what failed in it, whatever was skipped and why, and once
 * more whatever failed, with the totals as the last line. Failures stand twice because logs are cut
 * short at either end.
 *
 * @param {readonly StageResult[]} stages
 * @returns {string[]} lines
 */
export function summarise(stages) {
  const width = Math.max(...stages.map((stage) => stage.name.length));
  const lines = stages.flatMap((stage) => {
    const { name, passed, failed, skipped, seconds } = stage;
    const counts = `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`;
    return [
      `${failed.length > 0 ? 'FAIL' : ' ok '} ${name.padEnd(width)}  ${counts}  (${seconds.toFixed(0)} s)`,
      ...failed.map(({ title, error }) => `     ✗ ${title}: ${error}`),
      ...unstableOf(stage).map(({ title, error }) => `     ~ unstable: ${title}: ${error}`),
    ];
  });
  const skipped = stages.flatMap((stage) => stage.skipped);
  if (skipped.length > 0) lines.push('', ...describeSkipped(skipped));
  const failed = stages.flatMap((stage) => stage.failed);
  const unstable = stages.flatMap(unstableOf);
  if (unstable.length > 0) {
    lines.push('', ...unstable.flatMap((test) => describe('UNSTABLE', test)));
  }
  if (failed.length > 0) lines.push('', ...failed.flatMap((test) => describe('FAILED', test)));
  return [...lines, '', totals(stages)];
}

/**
 * One line a missing need and file; tests that are skipped for another reason by their title.
 *
 * @param {StageResult['skipped']} skipped
 */
function describeSkipped(skipped) {
  const lines = skipped.map(({ title, file }) => {
    const need = MARK.exec(title)?.groups?.need;
    return need === undefined
      ? `SKIPPED: "${title}" is pending → ${file}`
      : `SKIPPED: ${need} → ${file}`;
  });
  return [...new Set(lines)];
}

/**
 * @param {string} word
 * @param {{ title: string, file?: string, error: string }} failure
 */
function describe(word, { title, file, error }) {
  return [`${word}: ${title}${file === undefined ? '' : ` → ${file}`}`, `        ${error}`];
}

/** @param {StageResult} stage */
function unstableOf({ unstable = [] }) {
  return unstable;
}

/** @param {readonly StageResult[]} stages */
function totals(stages) {
  const sum = (/** @type {(stage: StageResult) => number} */ pick) =>
    stages.reduce((total, stage) => total + pick(stage), 0);
  const passed = sum((stage) => stage.passed);
  const failed = sum((stage) => stage.failed.length);
  const unstable = sum((stage) => unstableOf(stage).length);
  const counts = `${passed} passed, ${failed} failed, ${sum((stage) => stage.skipped.length)} skipped`;
  return unstable === 0 ? counts : `${counts}, ${unstable} unstable`;
}
