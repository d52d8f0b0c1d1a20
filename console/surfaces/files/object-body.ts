import type { FastifyReply } from 'fastify';
import type { Session } from '../../server/sessions.js';
import type { SwiftAccount, SwiftRequest } from '../../swift/account.js';
import { SwiftStatusError } from '../../swift/errors.js';
import type { UpstreamAnswer } from '../../swift/upstream.js';
import { getObject, s3PlaceOf, type S3Place } from './s3/s3-bucket.js';
import { noSuchObject } from './translate.js';

/**
 * Types that a browser shows without running anything of them. PDF is none: viewers run its scripts,
 * and do not begin in a sandbox.
 */
const SAFE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/plain',
  ...['mpeg', 'mp4', 'aac', 'ogg', 'wav', 'x-wav', 'flac', 'webm'].map((one) => `audio/${one}`),
  ...['mp4', 'webm', 'ogg'].map((one) => `video/${one}`),
]);
/** The longest pause of a client that reads a download. */
const DOWNLOAD_IDLE_MS = 10 * 60_000;
const PASSED = ['content-length', 'content-range', 'accept-ranges', 'last-modified', 'etag'];

/** @throws ApiError no_such_object; SwiftStatusError */
export async function openBody(
  store: SwiftAccount,
  place: SwiftRequest,
  range: string | undefined,
): Promise<UpstreamAnswer> {
  // An answer to several ranges has a type that is never passed on.
  const headers = range === undefined || range.includes(',') ? {} : { range };
  const request = { ...place, headers, idleMs: DOWNLOAD_IDLE_MS };
  return store.expect([200, 206], 'GET', request).catch(noSuchObject);
}

/** The body of the current object, or of a range of it. */
type ObjectReader = (object: string, range?: string) => Promise<UpstreamAnswer>;

/**
 * Reads objects of a container. Swift lets the owners of an account alone read what versions are made
 * of, and others large objects only where the access rules of their parts say so: what it refuses to
 * a user is read through S3, and so is the rest of the same container.
 * @throws ApiError no_such_object; SwiftStatusError; S3StatusError
 */
export function objectReader(
  session: Pick<Session, 'store' | 's3'>,
  container: string,
): ObjectReader {
  let place: S3Place | undefined;
  return async (object, range) => {
    if (place !== undefined) return getObject(place, object, undefined, range);
    try {
      return await openBody(session.store, { container, object }, range);
    } catch (error) {
      // Swift answers 409 where it may not read the parts of a large object.
      if (!(error instanceof SwiftStatusError && [403, 409].includes(error.status))) throw error;
      place = await s3PlaceOf(session, container);
      if (place === undefined) throw error;
      return getObject(place, object, undefined, range);
    }
  };
}

/** Passes a body on; one that is cut upstream is cut here, never a short file that looks whole. */
export function sendBody(
  reply: FastifyReply,
  { status, headers, body }: UpstreamAnswer,
  name: string,
  disposition: 'attachment' | 'inline',
): FastifyReply {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  setSafeHeaders(reply, name, type, disposition);
  for (const header of PASSED) {
    const value = headers[header];
    if (value !== undefined) void reply.header(header, value);
  }
  return reply.status(status).send(body);
}

/** The parameter of `Content-Disposition` that names a file after the last part of a name. */
export function fileNameOf(name: string): string {
  const file = name.split('/').findLast((part) => part !== '') ?? 'file';
  // Characters that turn the direction of a text would make another ending of a name.
  const safe = file.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `filename*=UTF-8''${encoded}`;
}

/** Stored content is foreign: it must not run as a page of this console. */
export function setSafeHeaders(
  reply: FastifyReply,
  name: string,
  type: string,
  disposition: 'attachment' | 'inline',
): void {
  const shown = disposition === 'inline' && SAFE_TYPES.has(type);
  const shownType = type === 'text/plain' ? 'text/plain; charset=utf-8' : type;
  void reply
    .header('content-disposition', `${shown ? 'inline' : 'attachment'}; ${fileNameOf(name)}`)
    .header('content-security-policy', 'sandbox')
    .header('x-frame-options', 'DENY')
    .header('content-type', shown ? shownType : 'application/octet-stream');
}
