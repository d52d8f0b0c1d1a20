import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../server/api-error.js';
import { S3StatusError } from '../../s3/errors.js';
import { sessionOf } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { SwiftStatusError } from '../../swift/errors.js';
import { readBody } from '../../swift/upstream.js';
import { objectPlace } from './names.js';
import { objectReader } from './object-body.js';

/** The length of a preview of a text. */
const PREVIEW_BYTES = 64 * 1024;

/** The beginning of a text, as text: whatever is in it, the browser shows it and runs nothing. */
export function previewRoutes(app: FastifyInstance): void {
  app.get('/api/files/object/preview', { config: { access: 'read' } }, async (request, reply) => {
    const { container, name } = parse(objectPlace, request.query);
    const range = `bytes=0-${PREVIEW_BYTES - 1}`;
    const read = objectReader(sessionOf(request), container);
    const answer = await read(name, range).catch((error: unknown) => {
      const isOfStore = error instanceof SwiftStatusError || error instanceof S3StatusError;
      // An empty object has no first byte.
      if (isOfStore && error.status === 416) return undefined;
      throw error;
    });
    if (answer === undefined) return sendText(reply, '', false);
    const { status, headers, body } = answer;
    const length = Number(headers['content-length'] ?? 0);
    if (length > PREVIEW_BYTES) {
      // A store that knows no ranges sends all of it.
      body.destroy();
      const reason = 'The store does not support range requests for this object.';
      throw new ApiError('unsupported_here', `Preview is unavailable. ${reason}`);
    }
    const text = textOf(await readBody(body, PREVIEW_BYTES));
    const [, whole] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
    const truncated = status === 206 && Number(whole ?? length) > length;
    return sendText(reply, text, truncated);
  });
}

function sendText(reply: FastifyReply, text: string, truncated: boolean): FastifyReply {
  return reply
    .type('text/plain; charset=utf-8')
    .header('content-security-policy', 'sandbox')
    .header('x-frame-options', 'DENY')
    .header('content-disposition', 'attachment; filename="preview.txt"')
    .header('x-preview-truncated', truncated ? '1' : '0')
    .send(text);
}

/**
 * The bytes as UTF-8; a character that the limit cut is left out.
 * @throws ApiError unprocessable for what is no text
 */
function textOf(bytes: Buffer): string {
  for (let cut = 0; cut < 4 && cut <= bytes.length; cut++) {
    try {
      const part = bytes.subarray(0, bytes.length - cut);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(part);
      if (!text.includes('\0')) return text;
      break;
    } catch {
      continue;
    }
  }
  throw new ApiError('unprocessable', 'This object is not a text file.');
}
