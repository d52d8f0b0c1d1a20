import { createHash, hash } from 'node:crypto';
import type { ByteSource } from '../../lib/byte-source.js';
import type { Metadata, ObjectSeal } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { parseFooters, readFooterBytes, type Footers } from '../gateway/footers.js';
import { givenSystemMetadata, packTransient, OWN } from '../gateway/system-metadata.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { overrideAttributes } from './listing-override.js';
import { unquoted } from './conditions.js';
import { FooteredBody } from './footered-body.js';
import { spool } from './spool.js';

/** A body on its way into the store. */
export interface Upload {
  readonly size: number;
  readonly body: Buffer | ByteSource;
  /** Undefined when nothing is to be known of the bytes but what the store finds by itself. */
  readonly seal: (() => ObjectSeal) | undefined;
  /** Lets go of what it holds, whatever became of it. */
  close(): Promise<void>;
}

/** Taken whole: below it, streaming costs more than it saves. */
const WHOLE_BYTES_MAX = 64 * 1024;

/**
 * The body of a PUT. Its bytes are those that the client said they would be, or the put fails.
 * @throws SwiftError 411, 413; and while it is read 400, 422
 */
export async function receiveUpload(call: Call): Promise<Upload> {
  const { headers, body, api } = call;
  const footerBytes = readFooterBytes(call);
  if (!headers.has('content-length') && !headers.has('transfer-encoding')) {
    throw new SwiftError(411, 'Missing Content-Length header.', TEXT);
  }
  const { contentLength } = body;
  if (contentLength === undefined) return spooled(call);
  const size = contentLength - footerBytes;
  if (size > api.limits.fileBytesMax) throw new SwiftError(413);
  const wanted = wantedEtag(call);
  if (contentLength <= WHOLE_BYTES_MAX) {
    return wholeUpload(await body.collect(contentLength), size, wanted);
  }
  if (footerBytes === 0 && wanted === undefined) {
    return { size, body, seal: undefined, close: NOTHING };
  }
  const md5 = createHash('md5');
  const split = new FooteredBody(body, size, (chunk) => {
    md5.update(chunk);
  });
  const seal = (): ObjectSeal => {
    const footers = footerBytes === 0 ? undefined : parseFooters(split.footers());
    return sealOf(md5.digest('hex'), wanted, footers);
  };
  return { size, body: split.content(), seal, close: NOTHING };
}

function wholeUpload(bytes: Buffer, size: number, wanted: string | undefined): Upload {
  const content = bytes.subarray(0, size);
  const footers = size === bytes.length ? undefined : parseFooters(bytes.subarray(size));
  const seal =
    wanted === undefined && footers === undefined
      ? undefined
      : () => sealOf(hash('md5', content), wanted, footers);
  return { size, body: content, seal, close: NOTHING };
}

/** Of unknown length: it has to be all there before the store is told how much it is. */
async function spooled(call: Call): Promise<Upload> {
  const { api, body } = call;
  const md5 = createHash('md5');
  const held = await spool(body, {
    memoryBytes: api.limits.spoolMemoryBytes,
    bytesMax: api.limits.fileBytesMax,
    directory: api.spoolDirectory,
    each: (chunk) => md5.update(chunk),
  });
  const seal = (): ObjectSeal => sealOf(md5.digest('hex'), wantedEtag(call), undefined);
  return { ...held, seal };
}

function wantedEtag({ headers }: Call): string | undefined {
  const etag = headers.get('etag');
  return etag === undefined || etag === '' ? undefined : unquoted(etag.trim()).toLowerCase();
}

/** @throws SwiftError 422 */
function sealOf(
  etag: string,
  wanted: string | undefined,
  footers: Footers | undefined,
): ObjectSeal {
  const expected = footers?.etag ?? wanted;
  if (expected !== undefined && expected !== etag) throw new SwiftError(422);
  if (footers === undefined) return { etag };
  return {
    etag,
    systemMetadata: givenByGateway(footers.headers),
    listingAttributes: overrideAttributes(footers.headers),
  };
}

/** All system metadata of an object that a gateway gives with it. */
export function givenByGateway(headers: Iterable<readonly [string, string]>): Metadata {
  const pairs = [...headers];
  const transient = packTransient(givenSystemMetadata(pairs, 'transient'));
  const lasting = givenSystemMetadata(pairs, 'object');
  return transient === null ? lasting : { ...lasting, [OWN.transient]: transient };
}

const NOTHING = (): Promise<void> => Promise.resolve();
