import { randomBytes } from 'node:crypto';
import type { ByteRange, GetObjectResult, ObjectHead, RangeSpec } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import { OWN } from '../gateway/system-metadata.js';
import { readDynamic } from '../large/dynamic.js';
import { readManifest } from '../large/manifest-operations.js';
import { TEXT, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { type ObjectTarget } from '../target.js';
import { parseRanges, resolveRanges } from './conditions.js';
import {
  conditionReply,
  headOf,
  readHeaders,
  readOptions,
  unsatisfiable,
  withTarget,
} from './reading.js';
import { readLinkItself } from './links.js';
import { isStaticLarge, locationOf, objectHeaders } from './object-headers.js';

/**
 * Several ranges of an object as one body (RFC 9110 section 14.6), one read after the other.
 * @param open - reads one range of what the head is of
 */
function multipartBody(
  head: Pick<ObjectHead, 'contentType' | 'size' | 'etag' | 'lastModified'>,
  ranges: readonly ByteRange[],
  open: (range: RangeSpec) => Promise<GetObjectResult>,
) {
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

/** `GET` and `HEAD` of an object. @throws SwiftError */
export async function readObject(call: Call<ObjectTarget>): Promise<Reply> {
  const { target, query } = call;
  await openContainer(call, target, 'read');
  if (query.get('symlink') === 'get') return readLinkItself(call);
  if (query.get('multipart-manifest') === 'get') {
    const manifest = await readManifest(call);
    if (manifest !== undefined) return manifest;
  }
  const head = await headOf(call);
  checkPinned(call, head);
  const dynamic = head.systemMetadata[OWN.dynamicManifest];
  if (dynamic !== undefined && query.get('multipart-manifest') !== 'get') {
    return readDynamic(call, head, dynamic);
  }
  return replyTo(call, head);
}

/** A link that was made for one content leads to no other. @throws SwiftError 409 */
function checkPinned({ target }: Call<ObjectTarget>, { link, etag }: ObjectHead): void {
  const pinned = link?.systemMetadata[OWN.targetEtag];
  if (link === undefined || pinned === undefined || pinned === etag) return;
  const message = `Object Etag '${etag}' does not match X-Symlink-Target-Etag header '${pinned}'`;
  throw new SwiftError(409, message, TEXT, [
    ['Content-Location', locationOf(target.account, link.target)],
  ]);
}

async function replyTo(call: Call<ObjectTarget>, head: ObjectHead): Promise<Reply> {
  const early = conditionReply(call, head, head.etag, objectHeaders(call, head));
  if (early !== undefined) return early;
  if (call.method === 'HEAD') {
    const headers = readHeaders(head.contentType, objectHeaders(call, head));
    return { status: 200, headers, contentLength: head.size };
  }
  const specs = parseRanges(call.headers.get('range'));
  if (specs === undefined) return wholeOrPart(call, undefined);
  if (specs.length === 1) return wholeOrPart(call, specs[0]);
  const ranges = resolveRanges(specs, head.size);
  if (ranges.length === 0)
    return unsatisfiable(head.contentType, objectHeaders(call, head), head.size);
  const [range] = ranges;
  if (range !== undefined && ranges.length === 1) {
    return wholeOrPart(call, { first: range.start, last: range.end });
  }
  const open = (part: RangeSpec): Promise<GetObjectResult> =>
    call.api.backend.getObject(call.context, call.target, part, readOptions(call));
  // Its first segment is refused, or missing, before the head of the answer is sent.
  if (range !== undefined && isStaticLarge(head)) {
    (await open({ first: range.start, last: range.start })).body.cancel();
  }
  const { boundary, body, contentLength } = multipartBody(head, ranges, open);
  const type = `multipart/byteranges;boundary=${boundary}`;
  const headers = readHeaders(type, objectHeaders(call, head));
  return { status: 206, headers, body, contentLength };
}

/** The object may have changed since it was looked at: the answer is of the one that is read. */
async function wholeOrPart(call: Call<ObjectTarget>, spec: RangeSpec | undefined): Promise<Reply> {
  const { head, range, body } = await call.api.backend
    .getObject(call.context, call.target, spec, readOptions(call))
    .catch(async (error: unknown) => {
      throw await withTarget(call, error);
    });
  const headers = objectHeaders(call, head);
  if (range === 'unsatisfiable') return unsatisfiable(head.contentType, headers, head.size);
  const described = readHeaders(head.contentType, headers);
  const { source, length } = body;
  if (range === undefined) {
    return { status: 200, headers: described, body: source, contentLength: length };
  }
  const { start, end } = range;
  return {
    status: 206,
    headers: [...described, ['Content-Range', `bytes ${start}-${end}/${head.size}`]],
    body: source,
    contentLength: length,
  };
}
