import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT } from './paths.mjs';
import { lanesOf } from './stages.mjs';
import { codeOf } from './errors.mjs';

/** Seconds by name of a stage, as this checkout measured them last. */
const MEASURED_HERE = `${ROOT}/.build/test/seconds.json`;

/**
 * The same for a checkout without a run: measured on two processors, with coverage. Replace it by
 * the file above when they differ much.
 */
const RECORDED = `${ROOT}/ops/dev/stage-seconds.json`;

/** @returns {Record<string, number>} what was measured here before what is recorded */
export function knownSeconds() {
  return { ...readSeconds(RECORDED), ...readSeconds(MEASURED_HERE) };
}

/** @param {readonly { name: string, seconds: number }[]} results of stages that ran whole */
export function keepSeconds(results) {
  const measured = results.map(({ name, seconds }) => [name, Math.round(seconds)]);
  const all = { ...readSeconds(MEASURED_HERE), ...Object.fromEntries(measured) };
  mkdirSync(dirname(MEASURED_HERE), { recursive: true });
  writeFileSync(MEASURED_HERE, `${JSON.stringify(all, null, 2)}\n`);
}

/**
 * What a run will take, in words. Lanes run beside each other, so that the longest counts.
 *
 * @param {readonly { name: string }[]} stages in order
 * @param {Record<string, number>} seconds
 * @returns {string} one line
 */
export function estimate(stages, seconds = knownSeconds()) {
  const unknown = stages.filter(({ name }) => seconds[name] === undefined);
  const known = stages.filter(({ name }) => seconds[name] !== undefined);
  const lanes = lanesOf(known).map((lane) =>
    lane.reduce((sum, { name }) => sum + (seconds[name] ?? 0), 0),
  );
  const parts = known.map(({ name }) => `${name} ${inWords(seconds[name] ?? 0)}`);
  const total = lanes.length === 0 ? 'for an unknown time' : `about ${inWords(Math.max(...lanes))}`;
  const more = unknown.length === 0 ? '' : `; not measured yet: ${namesOf(unknown)}`;
  const beside = lanes.length > 1 ? ', some of it side by side' : '';
  return `This runs ${total}${parts.length === 0 ? '' : ` (${parts.join(', ')}${beside})`}${more}.`;
}

/** @param {number} seconds */
function inWords(seconds) {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** @param {readonly { name: string }[]} stages */
function namesOf(stages) {
  return stages.map(({ name }) => name).join(', ');
}

/**
 * @param {string} path
 * @returns {Record<string, number>}
 */
function readSeconds(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw error;
  }
}
