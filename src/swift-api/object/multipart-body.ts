import { randomBytes } from 'node:crypto';
import type { ByteSource } from '../../lib/byte-source.js';
import type { ByteRange, GetObjectResult, ObjectHead, RangeSpec } from '../../backend/backend.js';

/** Several ranges of an object as one body (RFC 9110 section 14.6), one read after the other. */
export interface MultipartBody {
  readonly boundary: string;
  readonly body: ByteSource;
  readonly contentLength: number;
}

/** @param open - reads one range of what the head is of */
export function multipartBody(
  head: Pick<ObjectHead, 'contentType' | 'size' | 'etag' | 'lastModified'>,
  ranges: readonly ByteRange[],
  open: (range: RangeSpec) => Promise<GetObjectResult>,
): MultipartBody {
  const boundary = randomBytes(16).toString('hex');
  const end = Buffer.from(`--${boundary}--`);
  const parts = ranges.map((range) => ({
    range,
    begin: Buffer.from(
      `--${boundary}\r\nContent-Type: ${head.contentType}\r\n` +
        `Content-Range: bytes ${range.start}-${range.end}/${head.size}\r\n\r\n`,
    ),
  }));
  const contentLength = parts.reduce(
    (sum, { range, begin }) => sum + begin.length + (range.end - range.start + 1) + LINE_END.length,
    end.length,
  );
  async function* body(): AsyncGenerator<Buffer, void> {
    for (const { range, begin } of parts) {
      const result = await open({ first: range.start, last: range.end });
      const { etag, lastModified } = result.head;
      if (etag !== head.etag || lastModified !== head.lastModified) {
        result.body.cancel();
        throw new Error('the object was replaced while it was read');
      }
      yield begin;
      const { source } = result.body;
      if (Buffer.isBuffer(source)) yield source;
      else yield* source;
      yield LINE_END;
    }
    yield end;
  }
  return { boundary, body: body(), contentLength };
}

const LINE_END = Buffer.from('\r\n');
