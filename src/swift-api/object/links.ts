import { hash } from 'node:crypto';
import type { LinkInput, Metadata, ObjectHead } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { openHop } from '../container/behalf.js';
import { openContainer } from '../container/containers.js';
import { OWN } from '../gateway/system-metadata.js';
import { LISTED } from '../listing/object-entry.js';
import { type Reply, TEXT } from '../reply.js';
import { SwiftError, swiftErrorOf } from '../swift-error.js';
import { type ObjectTarget, decodeName, splitObjectPath } from '../target.js';
import { unquoted } from './conditions.js';
import { linkPath, locationOf, objectHeaders } from './object-headers.js';
import {
  copyPrecondition,
  describeGiven,
  givenPrecondition,
  replyOf,
  withSource,
} from './writing.js';
import { readHeaders, readOptions } from './reading.js';

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
  const outcome = await api.backend.putLink(context, target, input, copyPrecondition(sink));
  return withSource(replyOf(sink, outcome), source.target, head, head.metadata);
}

const EMPTY_MD5 = hash('md5', '');
const LINK_TYPE = 'application/symlink';
const FORM = 'X-Symlink-Target header must be of the form <container name>/<object name>';

type LinkTarget = LinkInput['target'];

/** `PUT` with X-Symlink-Target. @throws SwiftError */
export async function putLink(call: Call<ObjectTarget>): Promise<Reply> {
  const { api, context, target, body, headers } = call;
  if (body.contentLength !== 0) {
    throw new SwiftError(400, 'Symlink requests require a zero byte body', TEXT);
  }
  const to = givenTarget(call);
  await openContainer(call, target, 'write');
  const precondition = givenPrecondition(call);
  const pin = await givenPin(call, to);
  const { systemMetadata, listingAttributes, deleteAt, contentType } = describeGiven(call);
  const input: LinkInput = {
    target: to,
    size: 0,
    etag: EMPTY_MD5,
    contentType: headers.has('content-type') ? contentType : (pin?.contentType ?? LINK_TYPE),
    systemMetadata: { ...systemMetadata, ...pin?.systemMetadata },
    listingAttributes: { ...listingAttributes, [LISTED.link]: linkPath(to), ...pin?.listed },
    deleteAt,
  };
  return replyOf(call, await api.backend.putLink(context, target, input, precondition));
}

/** @throws SwiftError 400, 412; 501 for another account: no link leads out of one here */
function givenTarget({ headers, target }: Call<ObjectTarget>): LinkTarget {
  const text = decodeName(headers.get('x-symlink-target') ?? '');
  if (text.startsWith('/')) throw new SwiftError(412, FORM, TEXT);
  const to = splitObjectPath(text);
  if (to === undefined) throw new SwiftError(412, FORM);
  const account = headers.get('x-symlink-target-account');
  if (account !== undefined && decodeName(account) !== target.account) {
    throw new SwiftError(501, 'Links to other accounts are not served by this store\n', TEXT);
  }
  if (to.container === target.container && to.object === target.object) {
    throw new SwiftError(400, 'Symlink cannot target itself', TEXT);
  }
  return to;
}

/** A link's record of the one content that it leads to. */
interface Pin {
  readonly contentType: string;
  readonly systemMetadata: Metadata;
  readonly listed: Metadata;
}

/** @throws SwiftError 409 when the target does not have that content; BackendError Denied */
async function givenPin(call: Call<ObjectTarget>, to: LinkTarget): Promise<Pin | undefined> {
  const given = call.headers.get('x-symlink-target-etag');
  if (given === undefined || given === '') return undefined;
  const wanted = unquoted(given);
  const location = [['Content-Location', locationOf(call.target.account, to)]] as const;
  const head = await targetHead(call, to);
  if (head === undefined) {
    throw new SwiftError(409, 'X-Symlink-Target does not exist', TEXT, location);
  }
  if (head.etag !== wanted) {
    const message = `Object Etag '${head.etag}' does not match X-Symlink-Target-Etag header '${wanted}'`;
    throw new SwiftError(409, message, TEXT, location);
  }
  const bytes = String(head.size);
  return {
    contentType: head.contentType,
    systemMetadata: { [OWN.targetEtag]: wanted, [OWN.targetBytes]: bytes },
    listed: { [LISTED.linkEtag]: wanted, [LISTED.linkBytes]: bytes },
  };
}

/** A client that may not read it is told nothing of it. @throws BackendError Denied */
async function targetHead(
  call: Call<ObjectTarget>,
  to: LinkTarget,
): Promise<ObjectHead | undefined> {
  const ref = { account: call.target.account, ...to };
  try {
    await openHop(call, ref, 'read objects');
    return await call.api.backend.headObject(call.context, ref);
  } catch (error) {
    if (swiftErrorOf(error)?.status === 404) return undefined;
    throw error;
  }
}

/** `GET` and `HEAD` with `symlink=get`: the link and not what it leads to. @throws SwiftError */
export async function readLinkItself(call: Call<ObjectTarget>): Promise<Reply> {
  const { api, context, target } = call;
  const itself = { ...readOptions(call), linkItself: true };
  const { link, ...head } = await api.backend.headObject(context, target, itself);
  const headers = readHeaders(head.contentType, objectHeaders(call, head));
  if (link === undefined) return readPlain(call, headers, head.size);
  return { status: 200, headers: [...headers, ...linkHeaders(link)], body: '', contentLength: 0 };
}

/** It is no link: then it is read as ever. */
async function readPlain(
  { api, method, target, context }: Call<ObjectTarget>,
  headers: Reply['headers'],
  size: number,
): Promise<Reply> {
  if (method === 'HEAD') return { status: 200, headers, contentLength: size };
  const { body } = await api.backend.getObject(context, target);
  return { status: 200, headers, body: body.source, contentLength: body.length };
}

function linkHeaders({
  target,
  systemMetadata,
}: NonNullable<ObjectHead['link']>): Reply['headers'] {
  const etag = systemMetadata[OWN.targetEtag];
  const bytes = systemMetadata[OWN.targetBytes];
  return [
    ['X-Symlink-Target', linkPath(target)],
    ...(etag === undefined ? [] : [['X-Symlink-Target-Etag', etag] as const]),
    ...(bytes === undefined ? [] : [['X-Symlink-Target-Bytes', bytes] as const]),
  ];
}
