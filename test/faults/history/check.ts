import { findOrderProblems } from './order.js';
import { describeOperation, type KeyOperation, type Operation } from './operation.js';
import { findPresenceProblems, type Problem } from './presence.js';
import { Removals } from './removal.js';
import { resolveSightings } from './sightings.js';
import { BucketStates } from './states.js';
import type { Violation } from './violation.js';
import { collectWrites } from './writes.js';

/**
 * The model of a versioned bucket, as a check of what clients recorded of one (SPEC.md 3.1). A key is
 * a list of entries, newest first. A PUT puts a version in front; a DELETE a delete marker; where
 * versioning is suspended both take the `null` entry away in the same step, and where it never was
 * enabled the `null` version is all there is. A DELETE of a version id takes that entry away. Every
 * operation happens at one moment between its start and its end, or, where no answer came, at one
 * moment after its start, or never.
 *
 * The key itself follows the list of its entries: readers without a version id may be behind those
 * who list, until the operation is acknowledged. With both, time goes one way only.
 *
 * It reports only what no such sequence explains. A case in doubt is no violation.
 */
export function checkHistory(
  operations: readonly Operation[],
  { seenIsFirm = true }: CheckOptions = {},
): Violation[] {
  const states = new BucketStates(operations);
  return [...byKey(operations)].flatMap(([key, ofKey]) =>
    checkKey(ofKey, states, seenIsFirm).map((problem) => ({ ...problem, key })),
  );
}

export interface CheckOptions {
  /**
   * Default true. False where writers can displace each other (Swift): what is not acknowledged yet
   * may be seen and be gone again, or change its place, until its writer has put it where it stays.
   * Nothing else is allowed: what is acknowledged is as firm as ever.
   */
  readonly seenIsFirm?: boolean;
}

function checkKey(
  operations: readonly KeyOperation[],
  states: BucketStates,
  seenIsFirm: boolean,
): Problem[] {
  const known = collectWrites(operations, states);
  const sightings = resolveSightings(operations, known, seenIsFirm);
  const removals = new Removals(known);
  return [
    ...known.stateProblems.map((message): Problem => ({ kind: 'state', message })),
    ...sightings.problems,
    ...findPresenceProblems(known, sightings, removals, seenIsFirm),
    ...findOrderProblems(known, sightings, removals, seenIsFirm),
    ...findUnverified(operations),
  ];
}

/**
 * A history proves something only when, with nothing under way any more, every key is listed and
 * every version that the list names is read.
 */
function findUnverified(operations: readonly KeyOperation[]): Problem[] {
  const changes = operations.filter(({ op }) => op !== 'list' && op !== 'get' && op !== 'head');
  const quietSince = changes.reduce((last, { end }) => Math.max(last, end), -Infinity);
  const last = operations.findLast(({ op, outcome }) => op === 'list' && outcome.result === 'ok');
  if (last?.op !== 'list' || last.outcome.result !== 'ok' || last.start <= quietSince) {
    return [{ kind: 'unverified', message: 'no listing after the last change' }];
  }
  const read = new Set(
    operations
      .filter(({ start, outcome }) => start > quietSince && outcome.result === 'ok')
      .map((operation) => (operation.op === 'get' ? (operation.version ?? '') : '')),
  );
  return last.outcome.entries
    .filter(({ kind, version }) => kind === 'version' && !read.has(version))
    .map(({ version }) => ({
      kind: 'unverified',
      message: `${describeOperation(last)} shows ${version}, which is not read`,
    }));
}

function byKey(operations: readonly Operation[]): ReadonlyMap<string, KeyOperation[]> {
  const keys = new Map<string, KeyOperation[]>();
  for (const operation of [...operations].sort((a, b) => a.start - b.start)) {
    if (operation.op === 'set-state') continue;
    const same = keys.get(operation.key);
    if (same === undefined) keys.set(operation.key, [operation]);
    else same.push(operation);
  }
  return keys;
}
