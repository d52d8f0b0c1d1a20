import type { Call } from '../call.js';
import { LISTED } from '../listing/object-entry.js';
import { OWN } from '../gateway/system-metadata.js';
import { type Reply } from '../reply.js';
import type { ObjectTarget } from '../target.js';
import { withSource } from './copy-object.js';
import { linkPath } from './object-headers.js';
import { replyOf } from './put-object.js';

/** Copies a link as a link (`COPY` with `symlink=get`). @returns undefined for what is none */
export async function copyLink(
  source: Call<ObjectTarget>,
  sink: Call<ObjectTarget>,
): Promise<Reply | undefined> {
  const { api, context, target } = sink;
  const head = await api.backend.headObject(context, source.target, { linkItself: true });
  const { link } = head;
  if (link === undefined) return undefined;
  const etag = link.systemMetadata[OWN.targetEtag];
  const bytes = link.systemMetadata[OWN.targetBytes];
  const input = {
    target: link.target,
    size: head.size,
    etag: head.etag,
    contentType: head.contentType,
    systemMetadata: link.systemMetadata,
    listingAttributes: {
      [LISTED.link]: linkPath(link.target),
      ...(etag === undefined ? {} : { [LISTED.linkEtag]: etag }),
      ...(bytes === undefined ? {} : { [LISTED.linkBytes]: bytes }),
    },
    deleteAt: head.deleteAt,
  };
  const outcome = await api.backend.putLink(context, target, input);
  return withSource(replyOf(sink, outcome), source.target, head, head.metadata);
}
