import { answerAtLength } from '../bulk/bulk-delete.js';
import { deleteMany, type Deletions } from '../bulk/delete-many.js';
import type { Segment } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import type { Reply } from '../reply.js';
import { swiftErrorOf } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';

/** `DELETE` with `multipart-manifest=delete`: a large object, after all that it is made of. */
export function deleteManifest(call: Call<ObjectTarget>): Reply {
  return answerAtLength(call, (deletions) => deleteAll(call, deletions));
}

async function deleteAll(call: Call<ObjectTarget>, deletions: Deletions): Promise<void> {
  const { container, object } = call.target;
  const manifest = `/${container}/${object}`;
  let segments: readonly Segment[] | undefined;
  try {
    await openContainer(call, call.target, 'write');
    segments = await call.api.backend.getSegments(call.context, call.target);
  } catch (error) {
    const known = swiftErrorOf(error);
    if (known === undefined) throw error;
    if (known.status === 404) deletions.notFound += 1;
    else deletions.failed(manifest, known.body, known.status);
    return;
  }
  if (segments === undefined) {
    deletions.failed(manifest, 'Not an SLO manifest');
    return;
  }
  const names = segments.map((segment) => `${segment.container}/${segment.object}`);
  await deleteMany(call, [...new Set(names)], deletions);
  await deleteMany(call, [`${container}/${object}`], deletions);
}
