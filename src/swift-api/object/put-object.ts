import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import { putManifest } from '../large/manifest-operations.js';
import { type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import { copyTo } from './copy-object.js';
import { checkName, describeGiven, givenPrecondition, replyOf } from './writing.js';
import { putLink } from './links.js';
import { receiveUpload } from './upload.js';

/** `PUT` of an object, in all its kinds. @throws SwiftError */
export async function putObject(call: Call<ObjectTarget>): Promise<Reply> {
  const { headers, query, target } = call;
  checkName(call);
  if (headers.has('x-copy-from')) return copyTo(call);
  if (query.get('multipart-manifest') === 'put') return putManifest(call);
  if (headers.has('x-symlink-target')) return putLink(call);
  if (headers.has('x-static-large-object')) {
    const message =
      'X-Static-Large-Object is a reserved header. To create a static large object add query param multipart-manifest=put.';
    throw new SwiftError(400, message);
  }
  await openContainer(call, target, 'write');
  return putBytes(call);
}

async function putBytes(call: Call<ObjectTarget>): Promise<Reply> {
  const { api, context, target } = call;
  const precondition = givenPrecondition(call);
  const described = describeGiven(call);
  const upload = await receiveUpload(call);
  try {
    const { size, body, seal } = upload;
    const input = { ...described, size, body, seal };
    const outcome = await api.backend.putObject(context, target, input, precondition);
    return replyOf(call, outcome);
  } finally {
    await upload.close();
  }
}
