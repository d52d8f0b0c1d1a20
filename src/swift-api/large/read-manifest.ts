import { hash } from 'node:crypto';
import type { Call } from '../call.js';
import { OWN } from '../gateway/system-metadata.js';
import { conditionReply, headOf, readOptions } from '../object/read-object.js';
import { isStaticLarge, objectHeaders } from '../object/object-headers.js';
import type { Reply } from '../reply.js';
import type { ObjectTarget } from '../target.js';
import { renderManifest, renderRawManifest } from './manifest.js';
import { describeSegments } from './segments.js';

/**
 * `GET` and `HEAD` with `multipart-manifest=get`: what a static large object is made of.
 * @returns undefined for any other object
 */
export async function readManifest(call: Call<ObjectTarget>): Promise<Reply | undefined> {
  const { api, target, query, method } = call;
  const head = await headOf(call);
  if (!isStaticLarge(head)) return undefined;
  const segments = (await api.backend.getSegments(call.context, target, readOptions(call))) ?? [];
  const isRaw = query.get('format') === 'raw';
  const body = isRaw
    ? renderRawManifest(segments)
    : renderManifest(await describeSegments(call, segments, head.lastModified));
  const kept = isRaw ? undefined : head.systemMetadata[OWN.manifestEtag];
  const etag = kept ?? hash('md5', body);
  const headers = objectHeaders(call, head)
    .filter(([name]) => name !== 'X-Manifest-Etag')
    .map(([name, value]) => [name, name === 'Etag' ? etag : value] as const);
  const early = conditionReply(call, head, etag, headers);
  if (early !== undefined) return early;
  const contentType = isRaw ? head.contentType : 'application/json; charset=utf-8';
  return {
    status: 200,
    headers: [['Content-Type', contentType], ...headers, ['Accept-Ranges', 'bytes']],
    ...(method === 'HEAD' ? { contentLength: Buffer.byteLength(body) } : { body }),
  };
}
