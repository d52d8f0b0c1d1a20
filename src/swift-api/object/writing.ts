import type {
  Metadata,
  ObjectHead,
  ObjectRef,
  PutOutcome,
  WritePrecondition,
} from '../../backend/backend.js';
import { encodeUriPath } from '../../lib/uri.js';
import type { Call } from '../call.js';
import { OWN } from '../gateway/system-metadata.js';
import { givenMetadata, metadataHeaders } from '../metadata.js';
import { HTML, plainReply, TEXT, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ObjectTarget } from '../target.js';
import { lastModified, swiftTimestamp } from '../timestamps.js';
import {
  contentTypeOf,
  givenDeleteAt,
  givenRepresentation,
  overrideAttributes,
} from './representation.js';
import { givenByGateway } from './upload.js';

/**
 * The common part of all ways to write an object (bytes, a copy, a manifest, a link): the
 * properties that the request gives, and those that the answer tells.
 */

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

/**
 * The condition of a copy on its target. `Overwrite: F` is WebDAV's (RFC 4918, 10.6), from which
 * COPY comes; plain Swift ignores it.
 */
export function copyPrecondition({ headers, gateway }: Call): WritePrecondition | undefined {
  const isNew = gateway
    ? headers.get('x-gateway-create') === 'exclusive'
    : headers.get('overwrite')?.trim().toUpperCase() === 'F';
  return isNew ? { absent: true } : undefined;
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

/** Adds to the answer of a copy what was copied, as Swift does. */
export function withSource(
  reply: Reply,
  { account, container, object }: ObjectRef,
  head: ObjectHead,
  metadata: Metadata,
): Reply {
  if (reply.status !== 201) return reply;
  return {
    ...reply,
    headers: [
      ...reply.headers.filter(([name]) => name !== 'Content-Type'),
      ['Content-Type', HTML],
      ['X-Copied-From-Account', encodeUriPath(account)],
      ['X-Copied-From', encodeUriPath(`${container}/${object}`)],
      ['X-Copied-From-Last-Modified', lastModified(head.lastModified)],
      ...metadataHeaders(metadata, 'object', true),
    ],
  };
}
