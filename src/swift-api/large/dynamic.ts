import { createHash } from 'node:crypto';
import type {
  ByteRange,
  GetObjectResult,
  ListedObject,
  ObjectHead,
} from '../../backend/backend.js';
import type { ByteSource } from '../../lib/cancellation.js';
import type { Call } from '../call.js';
import { openHop } from '../container/behalf.js';
import { conditionReply, readHeaders, unsatisfiable } from '../object/reading.js';
import { objectHeaders } from '../object/object-headers.js';
import { parseRanges, resolveRanges } from '../object/conditions.js';
import { TEXT, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { decodeName, splitObjectPath, type ObjectTarget } from '../target.js';

/**
 * Dynamic large objects (X-Object-Manifest): all objects of a container whose names begin with a
 * prefix, as they are listed now, one after the other. They are read here, and are no more than
 * their manifest, which has no bytes, to everybody else.
 */

const SEGMENTS_MAX = 10_000;

/** @param manifest - `container/prefix`, encoded */
export async function readDynamic(
  call: Call<ObjectTarget>,
  head: ObjectHead,
  manifest: string,
): Promise<Reply> {
  const { container, prefix } = splitManifest(manifest);
  const segments = await listSegments(call, container, prefix);
  const size = segments.reduce((sum, segment) => sum + segment.size, 0);
  const md5 = createHash('md5');
  for (const { etag } of segments) md5.update(etag);
  const etag = md5.digest('hex');
  const newest = segments.reduce(
    (time, one) => Math.max(time, one.lastModified),
    head.lastModified,
  );
  const shown = { ...head, lastModified: newest };
  const headers = objectHeaders(call, shown).map(
    ([name, value]) => [name, name === 'Etag' ? `"${etag}"` : value] as const,
  );
  const early = conditionReply(call, shown, etag, headers);
  if (early !== undefined) return early;
  const described = readHeaders(head.contentType, headers);
  if (call.method === 'HEAD') return { status: 200, headers: described, contentLength: size };
  const specs = parseRanges(call.headers.get('range'));
  if (specs === undefined || specs.length > 1) {
    const body = bytesOf(call, container, segments, { start: 0, end: size - 1 });
    return { status: 200, headers: described, body, contentLength: size };
  }
  const [range] = resolveRanges(specs, size);
  if (range === undefined) return unsatisfiable(head.contentType, headers, size);
  return {
    status: 206,
    headers: [...described, ['Content-Range', `bytes ${range.start}-${range.end}/${size}`]],
    body: bytesOf(call, container, segments, range),
    contentLength: range.end - range.start + 1,
  };
}

/** @throws SwiftError 409 for a manifest that no client of ours could have written */
function splitManifest(manifest: string): { container: string; prefix: string } {
  const parts = splitObjectPath(decodeName(manifest));
  if (parts === undefined) throw new SwiftError(409);
  return { container: parts.container, prefix: parts.object };
}

async function listSegments(
  call: Call<ObjectTarget>,
  container: string,
  prefix: string,
): Promise<ListedObject[]> {
  const ref = { account: call.target.account, container };
  // As Swift does: by a listing, and a read of each.
  await openHop(call, ref, 'list');
  await openHop(call, ref, 'read objects');
  const query = { prefix, limit: SEGMENTS_MAX };
  const page = await call.api.backend.listObjects(call.context, ref, query);
  if (page.truncated) {
    throw new SwiftError(
      501,
      `More than ${SEGMENTS_MAX} segments are not served by this store\n`,
      TEXT,
    );
  }
  return page.entries.flatMap((entry) => (entry.kind === 'object' ? entry.object : []));
}

/**
 * A segment that changed since it was listed ends the body early, so that the client notices the
 * error.
 */
async function* bytesOf(
  { api, context, target }: Call<ObjectTarget>,
  container: string,
  segments: readonly ListedObject[],
  { start, end }: ByteRange,
): AsyncGenerator<Buffer, void> {
  let begins = 0;
  for (const { name, size, etag } of segments) {
    const first = Math.max(start - begins, 0);
    const last = Math.min(end - begins, size - 1);
    begins += size;
    if (first > last) continue;
    const ref = { account: target.account, container, object: name };
    const result = await api.backend.getObject(context, ref, { first, last });
    if (result.head.etag !== etag) {
      result.body.cancel();
      throw new Error('a segment was replaced while the object was read');
    }
    yield* chunksOf(result);
  }
}

async function* chunksOf({
  body: { source },
}: GetObjectResult): ByteSource & AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(source)) yield source;
  else yield* source;
}
