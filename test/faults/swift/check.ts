import {
  describeOperation,
  type KeyOperation,
  type Operation,
  type PutOperation,
  type ReadOperation,
} from '../history/operation.js';

/**
 * The duties of a bucket without versions on Swift to its clients while servers fail, as a check of
 * their records. Each key has one writer, which waits for its answers.
 *
 * Swift is consistent in the end only: a replica that missed a write may answer a read with what was
 * there before. So a read may give any body whose PUT had begun; but never half a body or one of
 * another key, and never nothing once a PUT was acknowledged.
 *
 * @param looked - those whose reads are judged
 * @returns what is wrong, a line each
 */
export function checkEventual(
  operations: readonly Operation[],
  looked: readonly Operation[] = operations,
): string[] {
  const puts = putsByKey(operations);
  return looked
    .filter((operation): operation is ReadOperation => isRead(operation))
    .flatMap((read) => {
      const problem = problemOf(read, puts.get(read.key) ?? []);
      return problem === undefined ? [] : [`${describeOperation(read)}: ${problem}`];
    });
}

function problemOf(read: ReadOperation, puts: readonly PutOperation[]): string | undefined {
  const { outcome } = read;
  if (outcome.result !== 'ok') return undefined;
  if (outcome.found !== 'version') {
    const lost = puts.find(({ outcome: put, end }) => put.result === 'ok' && end < read.start);
    return lost === undefined ? undefined : `lacks ${describeOperation(lost)}`;
  }
  const write = puts.find(({ body }) => body === outcome.body);
  if (write === undefined) return `gives the body ${outcome.body}, which nobody wrote`;
  if (write.outcome.result === 'refused') return `gives what was refused`;
  return write.start > read.end ? `gives what was not yet written` : undefined;
}

/**
 * Bodies that a key may have when all is quiet and repaired: that of the last acknowledged PUT, or
 * of one after it without an answer.
 */
export function finalBodies(operations: readonly Operation[]): Map<string, Set<string>> {
  const allowed = new Map<string, Set<string>>();
  for (const [key, puts] of putsByKey(operations)) {
    const last = puts.findLastIndex(({ outcome }) => outcome.result === 'ok');
    if (last !== -1) allowed.set(key, new Set(puts.slice(last).map(({ body }) => body)));
  }
  return allowed;
}

/**
 * Whether a read of a bucket with versions proves nothing of that moment, as docs/swift.md has it:
 *
 * - Any one server that has an object answers a read of the key itself. One that was away does so with
 *   what it has, until the replicator has repaired it.
 * - Any one replica of a container answers a listing. While an object server is away, one replica may
 *   be told of no writes at all, and does not know the keys that are new since, until it was
 *   replicated. The listed versions of a key, however, are those of its index.
 *
 * Reads of versions, and listings that show the key, are to be right at any time.
 */
export function mayBeOld(operation: Operation): boolean {
  const { op } = operation;
  if (op === 'get' || op === 'head') return operation.version === undefined;
  if (op !== 'list' || operation.outcome.result !== 'ok') return false;
  return operation.outcome.entries.length === 0;
}

/** The proper errors for a fault behind the gateway: nothing was promised, come again. */
const PROPER = [
  /^503 (?:SlowDown|ServiceUnavailable)$/,
  // The answer to a HEAD has no body.
  /^503 $/,
  // The connection ended: before the answer, or in the middle of a body whose length was told.
  /^(?:UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|ECONNRESET)$/,
];

/** Answers that are neither success nor a proper error, a line each. */
export function improperErrors(operations: readonly Operation[]): string[] {
  return operations.flatMap((operation) => {
    const { outcome } = operation;
    if (outcome.result === 'ok') return [];
    if (outcome.result === 'unknown' && PROPER.some((form) => form.test(outcome.why))) return [];
    return [`${describeOperation(operation)}: ${outcome.why}`];
  });
}

function putsByKey(operations: readonly Operation[]): ReadonlyMap<string, PutOperation[]> {
  const puts = new Map<string, PutOperation[]>();
  for (const operation of [...operations].sort((a, b) => a.start - b.start)) {
    if (operation.op !== 'put') continue;
    puts.set(operation.key, [...(puts.get(operation.key) ?? []), operation]);
  }
  return puts;
}

function isRead(operation: Operation): boolean {
  const { op } = operation as KeyOperation;
  return op === 'get' || op === 'head';
}
