/** What `test/support/needs.ts` puts into the title of a suite that cannot run here. */
const MARK = /\[SKIPPED: (?<need>[^\]]+)\]/;

/**
 * What one stage came to. A failure of the stage as a whole names no file.
 *
 * @typedef {object} StageResult
 * @property {string} name
 * @property {number} passed
 * @property {{ title: string, file?: string, error: string }[]} failed
 * @property {{ title: string, file: string }[]} skipped
 * @property {number} seconds
 */

/**
 * The end of `npm test`: stages, whatever was skipped and why, whatever failed, and the totals as
 * the last line.
 *
 * @param {readonly StageResult[]} stages
 * @returns {string[]} lines
 */
export function summarise(stages) {
  const width = Math.max(...stages.map((stage) => stage.name.length));
  const lines = stages.map((stage) => {
    const { name, passed, failed, skipped, seconds } = stage;
    const counts = `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`;
    return `${failed.length > 0 ? 'FAIL' : ' ok '} ${name.padEnd(width)}  ${counts}  (${seconds.toFixed(0)} s)`;
  });
  const skipped = stages.flatMap((stage) => stage.skipped);
  if (skipped.length > 0) lines.push('', ...describeSkipped(skipped));
  const failed = stages.flatMap((stage) => stage.failed);
  if (failed.length > 0) lines.push('', ...failed.flatMap(describeFailed));
  return [...lines, '', totals(stages)];
}

/** One line a missing need and file; tests that are skipped for another reason by their title. */
function describeSkipped(skipped) {
  const lines = skipped.map(({ title, file }) => {
    const need = MARK.exec(title)?.groups?.need;
    return need === undefined
      ? `SKIPPED: "${title}" is pending → ${file}`
      : `SKIPPED: ${need} → ${file}`;
  });
  return [...new Set(lines)];
}

function describeFailed({ title, file, error }) {
  return [`FAILED: ${title}${file === undefined ? '' : ` → ${file}`}`, `        ${error}`];
}

function totals(stages) {
  const sum = (pick) => stages.reduce((total, stage) => total + pick(stage), 0);
  const passed = sum((stage) => stage.passed);
  const failed = sum((stage) => stage.failed.length);
  return `${passed} passed, ${failed} failed, ${sum((stage) => stage.skipped.length)} skipped`;
}
