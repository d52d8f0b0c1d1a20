import type { ByteSource } from '../lib/cancellation.js';
import { InvalidResponseError, type HttpResponse } from './exchange.js';
import { isBodiless } from './response-head.js';

/**
 * Longest body that is handed over in one piece: what the kernel does not take of it, the library
 * keeps, and sends by its own rules. Longer ones wait for the kernel.
 */
export const WHOLE_BYTES_MAX = 128 * 1024;

/** How a response goes out. */
export type ReplyPlan =
  | { readonly kind: 'whole'; readonly data: string | Buffer; readonly length: number }
  | { readonly kind: 'stream'; readonly source: ByteSource; readonly length: number | undefined }
  /** No bytes of body; the length, if any, is announced all the same (HEAD). */
  | { readonly kind: 'head'; readonly length: number | undefined };

/** @throws InvalidResponseError when body and contentLength contradict each other */
export function planReply(response: HttpResponse, method: string): ReplyPlan {
  const { body, contentLength } = response;
  if (contentLength !== undefined && !(Number.isSafeInteger(contentLength) && contentLength >= 0)) {
    throw new InvalidResponseError(`${contentLength} is no content length`);
  }
  if (isBodiless(response.status)) return { kind: 'head', length: undefined };
  if (isSource(body)) {
    return method === 'HEAD'
      ? { kind: 'head', length: contentLength }
      : { kind: 'stream', source: body, length: contentLength };
  }
  if (method === 'HEAD') return { kind: 'head', length: contentLength ?? byteLength(body) };
  const length = byteLength(body);
  if (contentLength !== undefined && contentLength !== length) {
    throw new InvalidResponseError(`a body of ${length} bytes is announced as ${contentLength}`);
  }
  if (length <= WHOLE_BYTES_MAX) return { kind: 'whole', data: body ?? '', length };
  return { kind: 'stream', source: onePiece(body ?? ''), length };
}

export function isSource(body: HttpResponse['body']): body is ByteSource {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

function byteLength(data: string | Buffer | undefined): number {
  if (data === undefined) return 0;
  return typeof data === 'string' ? Buffer.byteLength(data) : data.length;
}

export function onePiece(data: string | Buffer): ByteSource {
  const chunk = typeof data === 'string' ? Buffer.from(data) : data;
  return {
    [Symbol.asyncIterator]: () => {
      let given = false;
      return {
        next: () => {
          if (given) return Promise.resolve({ done: true, value: undefined });
          given = true;
          return Promise.resolve({ done: false, value: chunk });
        },
      };
    },
  };
}
