import { BodyTooLargeError } from '../../http/exchange.js';
import { within } from '../../lib/promises.js';
import type { Call } from '../call.js';
import { type ListingFormat, acceptedFormat } from '../listing/listing-query.js';
import { statusLine, type Reply } from '../reply.js';
import { SwiftError, swiftErrorOf } from '../swift-error.js';
import { Deletions, deleteMany, parseNames, type ListedNames } from './delete-many.js';

/** The report of an operation on many objects at its end, in Swift's three forms. */
export interface Report {
  /** The fields, in the order of the JSON form. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** Names, percent-encoded, and what is wrong with each. */
  readonly errors: readonly (readonly [name: string, problem: string])[];
}

/** @param root - the name of the document's element in XML */
export function renderReport(
  { fields, errors }: Report,
  format: ListingFormat,
  root: string,
): string {
  switch (format) {
    case 'application/json':
      return JSON.stringify({ ...fields, Errors: errors });
    case 'text/plain':
      return (
        sorted(fields)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join('') +
        'Errors:\n' +
        errors.map(([name, problem]) => `${name}, ${problem}\n`).join('')
      );
    case 'application/xml':
    case 'text/xml':
      return renderXml({ fields, errors }, root);
  }
}

function renderXml({ fields, errors }: Report, root: string): string {
  const values = sorted(fields).map(([name, value]) => {
    const element = name.replaceAll(' ', '_').toLowerCase();
    return `<${element}>${escaped(String(value))}</${element}>\n`;
  });
  const rows = errors.map(
    ([name, problem]) =>
      `<object><name>${escaped(name)}</name><status>${escaped(problem)}</status></object>\n`,
  );
  return `<${root}>\n${values.join('')}<errors>\n${rows.join('')}</errors>\n</${root}>\n`;
}

function sorted(fields: Report['fields']): [string, string | number][] {
  return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * The body of an answer that is known only after long work. It sends blanks now and then, which
 * readers skip, so that neither client nor proxy gives up.
 *
 * @param work - begins when the body is read; must not reject
 * @param eager - whether the first blank goes out at once, and the status with it
 */
export async function* longAnswer(
  work: () => Promise<string>,
  { heartbeatMs, eager, first = ' ' }: LongAnswerOptions,
): AsyncGenerator<Buffer, void> {
  const running = work();
  let blank = first;
  let spoken = eager;
  if (eager) {
    yield Buffer.from(blank);
    blank = ' ';
  }
  for (;;) {
    const outcome = await within(running, heartbeatMs);
    if (outcome !== undefined) {
      yield Buffer.from((spoken ? '\r\n\r\n' : '') + outcome);
      return;
    }
    yield Buffer.from(blank);
    blank = ' ';
    spoken = true;
  }
}

interface LongAnswerOptions {
  readonly heartbeatMs: number;
  readonly eager: boolean;
  /** The first sign of life; of XML its declaration. */
  readonly first?: string;
}

/** Room for as many names as there may be, at 1600 bytes each, encoded. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * `POST` or `DELETE` with `bulk-delete`: deletes what the body names. The answer is 200 always; how
 * it went stands in its body. @throws SwiftError 406
 */
export async function bulkDelete(call: Call): Promise<Reply> {
  // Read before the answer begins: a connection with half a request on it would have to be closed.
  const given = await readNames(call).catch((error: unknown) => ({ error }));
  return answerAtLength(call, async (deletions) => {
    if ('error' in given) throw given.error;
    for (const line of given.wrong) deletions.refused(line, statusLine(412));
    await deleteMany(call, given.names, deletions);
  });
}

/** @throws SwiftError 406, 411, 413 */
async function readNames({ headers, body, api }: Call): Promise<ListedNames> {
  const type = headers.get('content-type');
  if (type !== undefined && type !== '' && !type.startsWith('text/plain')) {
    throw new SwiftError(406);
  }
  if (!headers.has('content-length') && !headers.has('transfer-encoding')) {
    throw new SwiftError(411);
  }
  const { bulkDeletesMax } = api.limits;
  const tooMany = new SwiftError(413, `Maximum Bulk Deletes: ${bulkDeletesMax} per request`);
  let bytes: Buffer;
  try {
    bytes = await body.collect(BODY_BYTES_MAX);
  } catch (error) {
    throw error instanceof BodyTooLargeError ? tooMany : error;
  }
  const listed = parseNames(bytes);
  if (listed.names.length + listed.wrong.length > bulkDeletesMax) throw tooMany;
  return listed;
}

/** Answers 200 at once, or when the work is done before the first sign of life is due. */
export function answerAtLength(
  { api, headers, exchange }: Call,
  work: (deletions: Deletions) => Promise<void>,
): Reply {
  const format = acceptedFormat(headers.get('accept'));
  const run = async (): Promise<string> => {
    const deletions = new Deletions(api.limits.bulkFailuresMax);
    let stopped: SwiftError | undefined;
    try {
      await work(deletions);
    } catch (error) {
      // The client is gone: this has no reader.
      stopped = exchange.aborted
        ? new SwiftError(503)
        : (swiftErrorOf(error) ?? new SwiftError(500));
    }
    return renderReport(deletions.report(stopped), format, 'delete');
  };
  const { heartbeatMs } = api.limits;
  return {
    status: 200,
    headers: [['Content-Type', format]],
    body: longAnswer(run, { heartbeatMs, eager: false, first: declarationOf(format) }),
  };
}

function declarationOf(format: ListingFormat): string {
  return format.endsWith('/xml') ? '<?xml version="1.0" encoding="UTF-8"?>\n' : ' ';
}
