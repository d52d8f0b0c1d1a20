import { BodyTooLargeError } from '../../http/exchange.js';
import type { Call } from '../call.js';
import { acceptedFormat, type ListingFormat } from '../listing/listing-query.js';
import { statusLine, type Reply } from '../reply.js';
import { SwiftError, swiftErrorOf } from '../swift-error.js';
import { Deletions, deleteMany, parseNames, type ListedNames } from './delete-many.js';
import { longAnswer } from './long-answer.js';
import { renderReport } from './report.js';

/** Room for as many names as there may be, at 1600 bytes each, encoded. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * `POST` or `DELETE` with `bulk-delete`: deletes what the body names. The answer is 200 always; how
 * it went stands in its body. @throws SwiftError 406
 */
export async function bulkDelete(call: Call): Promise<Reply> {
  // Before the answer begins: a connection with half a request on it would have to be closed.
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
      // The client is gone: nobody reads this.
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
