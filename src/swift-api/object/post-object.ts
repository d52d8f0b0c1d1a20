import type { DeletePrecondition } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import { notNewer } from '../gateway/protection.js';
import { givenSystemMetadata, OWN, packTransient } from '../gateway/system-metadata.js';
import { deleteManifest } from '../large/manifest-operations.js';
import { givenMetadata } from '../metadata.js';
import { HTML, type Reply, plainReply, TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import { unquoted } from './conditions.js';
import { locationOf } from './object-headers.js';
import { readOptions } from './reading.js';
import { givenDeleteAt, givenRepresentation } from './representation.js';

/** `DELETE` of an object; of a manifest with all that it is made of, when that is asked for. */
export async function deleteObject(call: Call<ObjectTarget>): Promise<Reply> {
  const { api, context, query, target } = call;
  if (query.get('multipart-manifest') === 'delete') return deleteManifest(call);
  await openContainer(call, target, 'write');
  const seen = (await notNewer(call)) ?? deletedEtag(call);
  const { outcome } = await api.backend.deleteObject(context, target, seen);
  if (outcome === 'precondition_failed' && call.headers.has('if-match')) throw new SwiftError(412);
  if (outcome !== 'deleted') throw new SwiftError(409);
  return { status: 204, headers: [['Content-Type', HTML]] };
}

/** HTTP's condition of a deletion, which plain Swift ignores. @throws SwiftError 400 for a list */
function deletedEtag({ headers }: Call): DeletePrecondition | undefined {
  const match = headers.get('if-match')?.trim();
  if (match === undefined) return undefined;
  if (match === '*') return { present: true };
  if (match.includes(',')) throw new SwiftError(400, 'If-Match of a DELETE takes one ETag', TEXT);
  return { present: true, etag: unquoted(match) };
}

const ON_LINK =
  'The requested POST was applied to a symlink. POST directly to the target to apply requested metadata.';

/**
 * `POST` to an object: replaces all its metadata. The type, and what a gateway keeps with the
 * bytes, change only if they are given. @throws SwiftError
 */
export async function postObject(call: Call<ObjectTarget>): Promise<Reply> {
  const { api, context, headers, target, gateway } = call;
  if (headers.has('x-symlink-target')) {
    throw new SwiftError(400, 'A PUT request is required to set a symlink target', TEXT);
  }
  await openContainer(call, target, 'write');
  const contentType = headers.get('content-type');
  const read = readOptions(call);
  const seen = await notNewer(call);
  const itself = { ...read, linkItself: true };
  const { link, metadata: former } = await api.backend.headObject(context, target, itself);
  const update = {
    metadata: givenMetadata(headers, 'object', api.limits, former),
    headers: givenRepresentation(headers),
    deleteAt: givenDeleteAt(headers, api.now()) ?? null,
    // An ordinary client takes the gateway's away, as on Swift.
    systemMetadata: {
      [OWN.transient]: gateway ? packTransient(givenSystemMetadata(headers, 'transient')) : null,
    },
    ...(contentType === undefined || contentType === '' ? {} : { contentType }),
    openExpired: read.openExpired,
  };
  const { outcome } = await api.backend.updateObject(context, target, update, seen);
  if (outcome !== 'updated') throw new SwiftError(409);
  if (link === undefined) return plainReply(202);
  const location = locationOf(target.account, link.target);
  return {
    status: 307,
    headers: [
      ['Content-Type', HTML],
      ['Location', location],
    ],
    body: ON_LINK,
  };
}
