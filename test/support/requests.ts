import type { ByteSource } from '../../src/lib/cancellation.js';
import { BodyTooLargeError, type RequestBody, type RequestHead } from '../../src/http/exchange.js';

/** Requests and bodies for tests, without an edge in front. */

export function requestHead(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): RequestHead {
  const mark = url.indexOf('?');
  return {
    method,
    rawPath: mark === -1 ? url : url.slice(0, mark),
    rawQuery: mark === -1 ? '' : url.slice(mark + 1),
    headers: new Map(Object.entries(headers)),
    remoteAddress: '127.0.0.1',
  };
}

/** A body that arrives in these pieces; each is overwritten once the next one is asked for. */
export function bodyOf(pieces: readonly Uint8Array[], contentLength?: number): RequestBody {
  let bytesReceived = 0;
  const source: ByteSource = (async function* () {
    for (const piece of pieces) {
      bytesReceived += piece.length;
      const chunk = Buffer.from(piece);
      yield await Promise.resolve(chunk);
      chunk.fill(0xee);
    }
  })();
  return {
    contentLength,
    get bytesReceived() {
      return bytesReceived;
    },
    collect: async (limit) => {
      const chunks: Buffer[] = [];
      for await (const chunk of source) chunks.push(Buffer.from(chunk));
      const whole = Buffer.concat(chunks);
      if (whole.length > limit) throw new BodyTooLargeError(limit);
      return whole;
    },
    [Symbol.asyncIterator]: () => source[Symbol.asyncIterator](),
  };
}

/** A body of which the length is announced. */
export function sizedBody(bytes: Uint8Array, pieceBytes = bytes.length): RequestBody {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.length; offset += Math.max(1, pieceBytes)) {
    pieces.push(bytes.subarray(offset, offset + pieceBytes));
  }
  return bodyOf(pieces, bytes.length);
}
