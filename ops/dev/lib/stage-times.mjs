import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT } from './paths.mjs';
import { secondsBeside } from './stages.mjs';
import { codeOf } from './errors.mjs';

/** Seconds by name of a stage, as this checkout measured them last. */
const MEASURED_HERE = `${ROOT}/.build/test/seconds.json`;

/**
 * How many seconds each stage may take on two quiet processors, without coverage: the one table of it.
 * A landing that needs more says why when it changes the table.
 */
const BUDGETS = `${ROOT}/ops/dev/stage-budgets.json`;

/** The most that the budgets may come to, beside each other: of `npm test`, and with what follows it. */
export const LIMITS_S = { quick: 5 * 60, all: 30 * 60 };

/** @typedef {import('./stages.mjs').Size} Size */

/**
 * The name of a part of a run, as in `rest of components`.
 *
 * @param {Size} size
 * @param {string} stage
 */
export function nameIn(size, stage) {
  return size === 'rest' ? `rest of ${stage}` : stage;
}

/** @returns {Record<string, number>} what was measured here, or else what is allowed */
export function knownSeconds() {
  return { ...budgets(), ...readSeconds(MEASURED_HERE) };
}

/** @returns {Record<string, number>} by `quick unit`, `rest unit` and so on */
export function budgets() {
  return readSeconds(BUDGETS);
}

/**
 * @param {Size} size
 * @param {readonly { name: string, seconds: number }[]} results of stages that ran whole
 * @returns {string[]} what took longer than it may, one line each
 */
export function overBudget(size, results, allowed = budgets()) {
  return results.flatMap(({ name, seconds }) => {
    const most = allowed[keyOf(size, name)];
    if (most === undefined || seconds <= most) return [];
    return [
      `${nameIn(size, name)} took ${Math.round(seconds)} s, and ${most} are its budget ` +
        '(ops/dev/stage-budgets.json)',
    ];
  });
}

/**
 * @param {Size} size
 * @param {readonly { name: string, seconds: number }[]} results of stages that ran whole
 */
export function keepSeconds(size, results) {
  const measured = results.map(({ name, seconds }) => [keyOf(size, name), Math.round(seconds)]);
  const all = { ...readSeconds(MEASURED_HERE), ...Object.fromEntries(measured) };
  mkdirSync(dirname(MEASURED_HERE), { recursive: true });
  writeFileSync(MEASURED_HERE, `${JSON.stringify(all, null, 2)}\n`);
}

/**
 * The expected time of a run, in words. Its parts run one after the other, and stages of a part
 * beside each other.
 *
 * @param {readonly { size: Size, stages: readonly { name: string, isPatient?: boolean }[] }[]} parts
 *   in order
 * @param {Record<string, number>} seconds by `quick unit`, `rest unit` and so on
 * @returns {string} one line
 */
export function estimate(parts, seconds = knownSeconds()) {
  const all = parts.flatMap(({ size, stages }) =>
    stages.map(({ name, isPatient = false }) => ({ size, name, isPatient })),
  );
  const secondsOf = (/** @type {{ size: Size, name: string }} */ { size, name }) =>
    seconds[keyOf(size, name)] ??
    (size === 'all'
      ? sumOf([seconds[keyOf('quick', name)], seconds[keyOf('rest', name)]])
      : undefined);
  const isKnown = (/** @type {{ size: Size, name: string }} */ one) => secondsOf(one) !== undefined;
  const known = all.filter(isKnown);
  const unknown = all.filter((one) => !isKnown(one)).map(({ size, name }) => nameIn(size, name));
  const total = parts.reduce((sum, { size }) => {
    const ofSize = known.filter((one) => one.size === size);
    return sum + secondsBeside(ofSize, (one) => secondsOf(one) ?? 0);
  }, 0);
  const shown = known.map((one) => `${nameIn(one.size, one.name)} ${inWords(secondsOf(one) ?? 0)}`);
  const beside = parts.some(({ stages }) => stages.length > 1);
  const takes = total === 0 ? 'for an unknown time' : `about ${inWords(total)}`;
  const each = shown.join(', ') + (beside ? ', some of it side by side' : '');
  const more = unknown.length === 0 ? '' : `; not measured yet: ${unknown.join(', ')}`;
  return `This runs ${takes}${shown.length === 0 ? '' : ` (${each})`}${more}.`;
}

/**
 * @param {Size} size
 * @param {string} stage
 * @returns what it is known to take; one that was never measured begins first, as the longest would
 */
export function secondsOfStage(size, stage, seconds = knownSeconds()) {
  return seconds[keyOf(size, stage)] ?? Infinity;
}

/** @param {Size} size @param {string} stage */
function keyOf(size, stage) {
  return `${size} ${stage}`;
}

/** @param {(number | undefined)[]} parts */
function sumOf(parts) {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, part) => sum + part, 0);
}

/** @param {number} seconds */
function inWords(seconds) {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
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
