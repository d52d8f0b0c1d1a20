import type { Dialect } from '../dialects/dialect.js';
import { addressOf, Connection } from './connection.js';
import type { WireRequest } from './wire.js';

/**
 * Does requests, several at a time, with connections of their own.
 * @throws Error with the first problem
 */
export async function exchangeAll(
  dialect: Dialect,
  concurrency: number,
  requests: Iterable<WireRequest>,
): Promise<void> {
  const source = shared(requests);
  const address = addressOf(dialect.endpoint);
  let firstProblem: string | undefined;
  const client = async (): Promise<void> => {
    const connection = new Connection(address);
    for (const request of source) {
      const { problem } = await connection.exchange(request);
      firstProblem ??= problemOf(request, problem);
      if (firstProblem !== undefined) break;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  if (firstProblem !== undefined) throw new Error(firstProblem);
}

/** One iterator for many loops: each gets what no other got, and the first that breaks ends all. */
function* shared<T>(items: Iterable<T>): Generator<T, void> {
  yield* items;
}

/** @throws Error when the answer is not as expected */
export async function fetchBody(dialect: Dialect, request: WireRequest): Promise<Buffer> {
  return (await fetchReply(dialect, request)).body;
}

/** Like {@link fetchBody}, if several statuses are expected. */
export async function fetchReply(
  dialect: Dialect,
  request: WireRequest,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const connection = new Connection(addressOf(dialect.endpoint));
  const { status, problem } = await connection.exchange(request);
  const body = connection.lastBody;
  connection.close();
  const told = problemOf(request, problem);
  if (told !== undefined) throw new Error(told);
  return { status, body };
}

function problemOf(request: WireRequest, problem: string | undefined): string | undefined {
  if (problem === undefined) return undefined;
  const line = request.head.toString('latin1', 0, request.head.indexOf(' HTTP/1.1'));
  return `${line}: ${problem}`;
}
