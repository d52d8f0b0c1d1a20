import type { ObjectBody } from '../backend.js';
import type { SwiftResponse } from './transport.js';

/**
 * Bodies up to this size are read before the answer is told of: they come with the headers, as a
 * rule, and a buffer costs a reader less than a stream.
 */
const WHOLE_BYTES_MAX = 16_384;

const EMPTY = Buffer.alloc(0);

/** @throws BackendError Unavailable, Timeout when a small body ends early */
export async function bodyOfAnswer(response: SwiftResponse, length: number): Promise<ObjectBody> {
  if (length > WHOLE_BYTES_MAX) {
    return {
      length,
      source: response.body,
      cancel: () => {
        response.cancel();
      },
    };
  }
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for await (const chunk of response.body) at += chunk.copy(bytes, at);
  return wholeBody(bytes);
}

export function emptyBody(): ObjectBody {
  return wholeBody(EMPTY);
}

function wholeBody(source: Buffer): ObjectBody {
  return { length: source.length, source, cancel: () => undefined };
}
