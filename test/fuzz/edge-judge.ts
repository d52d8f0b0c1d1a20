import { readAnswers, type Answers } from './answers.js';
import { readRequests, type Reading, type SeenRequest } from './oracle.js';

/** A request as a handler saw it. */
export interface Handled {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
  /** The edge told the handler to act on nothing of it. */
  readonly malformed: boolean;
  /** Latin-1, when it came to its end. */
  body: string | undefined;
}

/** All there is to know of a case. */
export interface Evidence {
  /** On one connection, in order. */
  readonly sent: string;
  readonly handled: readonly Handled[];
  readonly received: string;
  readonly closed: boolean;
}

const TRIMMED_LENGTH =
  /(?:content-length|transfer-encoding):\s*(?:[\x80-\xff]|.*[\x80-\xff]\s*\r\n)/i;

/** The problems, one line each. */
export function judge({ sent, handled, received, closed }: Evidence): string[] {
  // The library reads no headers behind such a line: docs/limitations.md, library-answers.test.ts.
  if (sent.includes('\n:')) return [];
  // It trims such bytes off unseen: docs/limitations.md, "Bytes that are lost".
  if (TRIMMED_LENGTH.test(sent)) return [];
  const reading = readRequests(sent);
  const accepted = handled.filter(({ malformed }) => !malformed);
  const problems = accepted.flatMap((request, index) => compare(request, index, reading));
  const chunkedAt = accepted.findIndex(({ headers }) => headers.has('transfer-encoding'));
  if (chunkedAt !== -1 && handled.length > chunkedAt + 1) {
    problems.push('a request was read behind a chunked body');
  }
  const refusedAt = handled.findIndex(({ malformed }) => malformed);
  if (refusedAt !== -1 && handled.length > refusedAt + 1) {
    problems.push('a request was read behind a malformed one');
  }
  return [...problems, ...judgeAnswers(handled, received, closed)];
}

function compare(request: Handled, index: number, { requests, end }: Reading): string[] {
  const seen = requests[index];
  const name = `${request.method} ${request.target}`;
  if (seen === undefined) return [`${name} was accepted, and is none by RFC 9112 (${end})`];
  // An empty query and none are one to the edge.
  if (seen.method !== request.method || seen.target.replace(/\?$/, '') !== request.target) {
    return [`${name} was accepted for ${seen.method} ${seen.target}`];
  }
  return [...compareHeaders(request, seen), ...compareBodies(request, seen)].map(
    (problem) => `${name}: ${problem}`,
  );
}

function compareHeaders(request: Handled, seen: SeenRequest): string[] {
  const problems: string[] = [];
  for (const [name, value] of seen.headers) {
    // The library trims and decodes others in its own way: docs/limitations.md.
    if (!/^[\x20-\x7e]*$/.test(value)) continue;
    const given = request.headers.get(name);
    if (given !== value) problems.push(`${name} is ${String(given)} instead of ${value}`);
  }
  for (const name of request.headers.keys()) {
    if (!seen.headers.has(name)) problems.push(`${name} was never sent`);
  }
  return problems;
}

function compareBodies(request: Handled, seen: SeenRequest): string[] {
  if (request.body === undefined || request.body === seen.body) return [];
  // The library's reading of damaged chunks: docs/limitations.md. The connection ends behind it.
  if (seen.isChunked && seen.body === undefined) return [];
  return [`a body of ${request.body.length} bytes instead of ${String(seen.body?.length)}`];
}

function judgeAnswers(handled: readonly Handled[], received: string, closed: boolean): string[] {
  const methods = handled.map(({ method }) => method);
  let read: Answers;
  try {
    read = readAnswers(received, methods, closed);
  } catch (error) {
    return [String(error)];
  }
  const { answers, rest } = read;
  const problems = rest === '' ? [] : [`half an answer: ${JSON.stringify(rest.slice(0, 100))}`];
  // One more: what the library answers by itself, and closes.
  if (answers.length > handled.length + 1) problems.push('more answers than requests');
  const own = answers[handled.length];
  if (own !== undefined && (own.status < 400 || !closed)) {
    problems.push(`an answer to nothing: ${own.status}`);
  }
  answers.slice(0, handled.length).forEach(({ status, headers }, index) => {
    const request = handled[index];
    if (status === 200 && headers.get('x-target') !== encodeURIComponent(request?.target ?? '')) {
      problems.push(`answer ${index} is that of ${String(headers.get('x-target'))}`);
    }
    if (status === 200 && request?.malformed === true) problems.push('200 for a malformed request');
  });
  const closing = answers.findIndex(({ closes }) => closes);
  if (closing !== -1 && answers.length > closing + 1 && handled.length > closing + 1) {
    problems.push('a request was read behind an answer that closes');
  }
  return problems;
}
