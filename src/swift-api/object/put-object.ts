import type { PutOutcome, WritePrecondition } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import { OWN } from '../gateway/system-metadata.js';
import { putManifest } from '../large/manifest-operations.js';
import { givenMetadata } from '../metadata.js';
import { HTML, plainReply, TEXT, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import { lastModified, swiftTimestamp } from '../timestamps.js';
import { copyTo } from './copy-object.js';
import {
  givenDeleteAt,
  overrideAttributes,
  contentTypeOf,
  givenRepresentation,
} from './representation.js';
import { putLink } from './links.js';
import { givenByGateway, receiveUpload } from './upload.js';

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

/** All that a request gives of an object besides its bytes. @throws SwiftError 400 */
export function describeGiven({ api, headers, target, gateway }: Call<ObjectTarget>) {
  const dynamic = givenDynamicManifest(headers.get('x-object-manifest'));
  const own = gateway ? givenByGateway(headers) : {};
  return {
    contentType: contentTypeOf(headers, target.object),
    headers: givenRepresentation(headers),
    metadata: givenMetadata(headers, 'object', api.limits),
    deleteAt: givenDeleteAt(headers, api.now()),
    systemMetadata: dynamic === undefined ? own : { ...own, [OWN.dynamicManifest]: dynamic },
    listingAttributes: gateway ? overrideAttributes(headers) : undefined,
  };
}

/** @throws SwiftError 400 */
function givenDynamicManifest(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (/^\/?[^/]+\/[^?&]+$/.test(given)) return given.replace(/^\//, '');
  throw new SwiftError(400, 'X-Object-Manifest must be in the format container/prefix');
}

/** @throws SwiftError 400 for any condition but "not there yet" */
export function givenPrecondition({ headers }: Call): WritePrecondition | undefined {
  const noneMatch = headers.get('if-none-match');
  if (noneMatch === undefined) return undefined;
  if (noneMatch.trim() === '*') return { absent: true };
  throw new SwiftError(400, 'If-None-Match only supports *', TEXT);
}

/** @throws SwiftError 400 */
export function checkName({ target, api }: Call<ObjectTarget>): void {
  const bytes = Buffer.byteLength(target.object);
  const max = api.limits.objectNameBytesMax;
  if (bytes > max)
    throw new SwiftError(400, `Object name length of ${bytes} longer than ${max}`, TEXT);
}

/** @param etag - in place of the outcome's, as it is to be shown */
export function replyOf(call: Call, outcome: PutOutcome, etag?: string): Reply {
  switch (outcome.outcome) {
    case 'stale':
      return plainReply(202);
    case 'precondition_failed':
      throw new SwiftError(412);
    case 'created':
      return {
        status: 201,
        headers: [
          ['Content-Type', HTML],
          ['Etag', etag ?? outcome.etag],
          ['Last-Modified', lastModified(outcome.lastModified)],
          ...(call.gateway
            ? [['X-Gateway-Data-Timestamp', swiftTimestamp(outcome.lastModified)] as const]
            : []),
        ],
        body: '',
      };
  }
}
