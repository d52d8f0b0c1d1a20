import type { CopyInput, ObjectHead } from '../../backend/backend.js';
import { hash } from 'node:crypto';
import type { Call } from '../call.js';
import { OWN } from '../gateway/system-metadata.js';
import { replyOf } from '../object/put-object.js';
import { readOptions } from '../object/read-object.js';
import { TEXT, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import { renderRawManifest } from './manifest.js';
import { manifestMetadata } from './put-manifest.js';

/** Copies a large object as a large object of the same segments (`multipart-manifest=get`). */
export async function copyManifest(
  source: Call<ObjectTarget>,
  sink: Call<ObjectTarget>,
  head: ObjectHead,
  input: CopyInput,
): Promise<Reply> {
  const { api, context, target } = sink;
  if (source.target.account !== target.account) {
    throw new SwiftError(501, 'A manifest cannot be copied to another account here\n', TEXT);
  }
  const segments = await api.backend.getSegments(
    source.context,
    source.target,
    readOptions(source),
  );
  if (segments === undefined) throw new SwiftError(409);
  const systemMetadata = input.systemMetadata ?? head.systemMetadata;
  const manifestEtag = systemMetadata[OWN.manifestEtag] ?? hash('md5', renderRawManifest(segments));
  const manifest = {
    contentType: input.contentType ?? head.contentType,
    headers: input.headers ?? head.headers,
    metadata: input.metadata ?? head.metadata,
    deleteAt: (input.deleteAt === undefined ? head.deleteAt : input.deleteAt) ?? undefined,
    ...manifestMetadata(systemMetadata, input.listingAttributes, manifestEtag, head.etag),
    etag: head.etag,
    segments,
  };
  const outcome = await api.backend.putManifest(context, target, manifest);
  return replyOf(sink, outcome, `"${head.etag}"`);
}
