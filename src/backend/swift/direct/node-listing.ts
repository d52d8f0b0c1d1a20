import { scratch, ScratchBytes } from '../../../lib/buffers/scratch-memory.js';
import type { CallContext } from '../../backend.js';
import { BackendError } from '../../errors.js';
import type { Answer } from '../net/answer.js';
import type { SwiftResponse, WholeBody } from '../transport.js';
import type { ProxyReason } from './way.js';

/** A thousand entries with the longest names; a usual page has 300 KiB. */
const LISTING_BYTES_MAX = 16 * 1024 * 1024;

const WHOLE: ReadonlySet<string | undefined> = new Set([undefined, 'unsharded', 'collapsed']);

/**
 * The proxies' encryption writes this behind a `hash` that it has made unreadable (append_crypto_meta
 * in swift/common/middleware/crypto/crypto_utils.py). A name that has it only costs a second request.
 */
const ENCRYPTED = Buffer.from('; swift_meta=');

/**
 * A page of a listing, read whole: only then it is known that a proxy would say the same.
 * @throws the abort reason of the context
 */
export async function readListing(
  { cancellation }: CallContext,
  answer: Answer,
): Promise<SwiftResponse | ProxyReason> {
  if (!isOfObjects(answer.headers)) {
    answer.cancel();
    return 'sharded';
  }
  let listed: WholeBody;
  try {
    listed = await answer.whole(LISTING_BYTES_MAX);
  } catch (error) {
    if (cancellation?.aborted === true) throw error;
    return 'nodes_failed';
  }
  const { memory, length } = listed;
  if (!memory.subarray(0, length).includes(ENCRYPTED)) return listingAnswer(answer, listed);
  scratch.give(memory);
  return 'encrypted';
}

function isOfObjects(headers: ReadonlyMap<string, string>): boolean {
  if (!WHOLE.has(headers.get('x-backend-sharding-state'))) return false;
  return (headers.get('x-backend-record-type') ?? 'object') === 'object';
}

function listingAnswer({ status, headers }: Answer, { memory, length }: WholeBody): SwiftResponse {
  const body = new ScratchBytes(scratch, memory, length);
  const letGo = (): void => {
    void body[Symbol.asyncIterator]().return?.();
  };
  /** Lets go of what is longer than the caller takes. */
  const check = (bytesMax: number): void => {
    if (length <= bytesMax) return;
    letGo();
    throw new BackendError('Corrupt', `a listing of more than ${bytesMax} bytes`);
  };
  return {
    status,
    headers,
    body,
    text(bytesMax) {
      return new Promise((resolve) => {
        check(bytesMax);
        resolve(body.toString());
        letGo();
      });
    },
    whole(bytesMax) {
      return new Promise((resolve) => {
        check(bytesMax);
        resolve({ memory: body.handOver().memory, length });
      });
    },
    cancel: letGo,
  };
}
