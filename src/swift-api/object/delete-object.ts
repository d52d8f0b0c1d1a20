import type { Call } from '../call.js';
import { notNewer } from '../gateway/not-newer.js';
import { openContainer } from '../container/containers.js';
import { deleteManifest } from '../large/delete-manifest.js';
import { HTML, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';

/** `DELETE` of an object; of a manifest with all that it is made of, when that is asked for. */
export async function deleteObject(call: Call<ObjectTarget>): Promise<Reply> {
  const { api, context, query, target } = call;
  if (query.get('multipart-manifest') === 'delete') return deleteManifest(call);
  await openContainer(call, target, 'write');
  const seen = await notNewer(call);
  const { outcome } = await api.backend.deleteObject(context, target, seen);
  if (outcome !== 'deleted') throw new SwiftError(409);
  return { status: 204, headers: [['Content-Type', HTML]] };
}
