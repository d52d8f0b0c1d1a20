import { expect } from 'chai';
import type { S3Answer } from '../s3-client.js';

/**
 * If one in ten calls fails, and a request has ten calls, one in a million requests needs more
 * tries.
 */
const TRIES_MAX = 40;

/** The errors that ask a client to try again later, by status. */
const LATER: Readonly<Record<number, readonly string[]>> = {
  409: ['OperationAborted'],
  503: ['ServiceUnavailable'],
  507: ['InsufficientStorage'],
};

/**
 * A client that tries again while it is told to, or while the connection is cut, as SDKs do. Any
 * other answer is one, also a failure that the store has no word for.
 */
export async function persistently(
  method: string,
  send: () => Promise<S3Answer>,
): Promise<S3Answer> {
  for (let left = TRIES_MAX; ; left--) {
    const answer = await send().catch((error: unknown) => {
      if (left <= 1) throw error;
      return undefined;
    });
    if (answer !== undefined && !isForLater(method, answer)) return answer;
    if (left <= 1 && answer !== undefined) return answer;
  }
}

function isForLater(method: string, { status, code, headers, text }: S3Answer): boolean {
  const codes = LATER[status];
  if (codes === undefined) {
    // A late failure, in an answer that had begun (CompleteMultipartUpload, CopyObject).
    return status === 200 && code !== undefined && Object.values(LATER).flat().includes(code);
  }
  if (method === 'HEAD') return true;
  if (code === undefined || !codes.includes(code)) return false;
  expect(headers['content-type']).to.equal('application/xml');
  expect(text).to.match(/<RequestId>tx[0-9a-f]{21}-[0-9a-f]{10}/);
  return true;
}
