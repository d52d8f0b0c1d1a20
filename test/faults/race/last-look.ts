import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { checkHistory, type CheckOptions } from '../history/check.js';
import { writeHistory, type Operation } from '../history/operation.js';
import type { Racer } from './race.js';

/**
 * The end of a history: every key is listed and every version read. Asks until it is answered:
 * listeners that were killed last may not be back yet.
 *
 * @param insist - false where what is stored may be past reading: each question is asked once
 */
export async function lookAtEverything(
  client: Racer,
  keys: readonly string[],
  insist = true,
): Promise<void> {
  const isAnswered = (answered: boolean): boolean => !insist || answered;
  for (const key of keys) {
    const entries = await eventually(
      () => client.listKey(key),
      (answer) => isAnswered(answer !== undefined),
    );
    for (const { version } of entries ?? []) {
      await eventually(() => client.read('get', key, version), isAnswered);
    }
    await eventually(() => client.read('get', key), isAnswered);
  }
}

const SHOWN_MAX = 10;

/** Fails with what is wrong, and with where the history lies: it will not happen again. */
export function expectRight(
  { operations, problems }: { operations: readonly Operation[]; problems: readonly string[] },
  options: CheckOptions = {},
): void {
  expect(problems, 'what is stored').to.deep.equal([]);
  const violations = checkHistory(operations, options);
  if (violations.length === 0) return;
  const file = join(tmpdir(), `ringway-history-${process.pid}-${Date.now()}.jsonl`);
  writeHistory(file, operations);
  const shown = violations
    .slice(0, SHOWN_MAX)
    .map(({ kind, key, message }) => `${kind} ${key}: ${message}`);
  expect.fail(`${violations.length} violations in ${file}:\n${shown.join('\n')}`);
}

/** A history in which nothing happens proves nothing. */
export function expectEventful(operations: readonly Operation[]): void {
  const done = kindsOf(operations);
  expect(KINDS.filter((kind) => !done.has(kind))).to.deep.equal([]);
}

/** Whether all that a client can do has succeeded once. */
export function isEventful(operations: readonly Operation[]): boolean {
  const done = kindsOf(operations);
  return KINDS.every((kind) => done.has(kind));
}

const KINDS: readonly string[] = [
  ...['put with an id', 'put of null', 'delete-marker', 'delete-version', 'list'],
  ...['get', 'get of a version', 'head'],
];

function kindsOf(operations: readonly Operation[]): Set<string> {
  return new Set(operations.filter(({ outcome }) => outcome.result === 'ok').map(describeKind));
}

function describeKind(operation: Operation): string {
  const { op, outcome } = operation;
  if (outcome.result !== 'ok') return op;
  if (operation.op === 'put' && operation.outcome.result === 'ok') {
    const { version = 'null' } = operation.outcome;
    return version === 'null' ? 'put of null' : 'put with an id';
  }
  if (operation.op === 'delete' && operation.outcome.result === 'ok') {
    return operation.outcome.marker ? 'delete-marker' : op;
  }
  return operation.op === 'get' && operation.version !== undefined ? 'get of a version' : op;
}
