import { randomUUID, createHash, hash } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata, ObjectSeal } from '../../backend/backend.js';
import { GatheredBytes } from '../../lib/buffers/gathered-bytes.js';
import type { ByteSource } from '../../lib/cancellation.js';
import type { Call } from '../call.js';
import { parseFooters, readFooterBytes, requireRoom, type Footers } from '../gateway/footers.js';
import { givenSystemMetadata, packTransient, OWN } from '../gateway/system-metadata.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { unquoted } from './conditions.js';
import { overrideAttributes } from './representation.js';

/** Splits a body into content of a known size and what follows it, which is small and kept. */
class FooteredBody {
  readonly #tail: Buffer[] = [];

  /** @param each - sees each chunk of the content once, before it is given on */
  constructor(
    private readonly source: ByteSource,
    private readonly size: number,
    private readonly each: (chunk: Buffer) => void,
  ) {}

  /** The content, to be read once, to its end. */
  async *content(): AsyncGenerator<Buffer, void> {
    let left = this.size;
    for await (const chunk of this.source) {
      const content = chunk.length <= left ? chunk : chunk.subarray(0, left);
      left -= content.length;
      // A chunk is the source's again when the next one is asked for.
      if (content.length < chunk.length)
        this.#tail.push(Buffer.from(chunk.subarray(content.length)));
      if (content.length === 0) continue;
      this.each(content);
      yield content;
    }
  }

  /** The bytes behind the content, when that was read to its end. */
  footers(): Buffer {
    return Buffer.concat(this.#tail);
  }
}

/** A body that is all there: in memory when it is small, in a file without a name otherwise. */
interface Spooled {
  readonly size: number;
  readonly body: Buffer | ByteSource;
  /** Lets go of what it holds. */
  close(): Promise<void>;
}

/** @throws SwiftError 413; what the source throws */
async function spool(
  source: ByteSource,
  bytesMax: number,
  { limits: { spoolMemoryBytes }, spoolDirectory }: Call['api'],
): Promise<Spooled> {
  const inMemory = new GatheredBytes();
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > bytesMax) throw new SwiftError(413);
      if (file === undefined && size <= spoolMemoryBytes) {
        inMemory.add(chunk);
        continue;
      }
      file ??= await unnamedFile(spoolDirectory);
      if (inMemory.length > 0) await file.writeFile(inMemory.take());
      await file.writeFile(chunk);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  if (file === undefined) {
    return { size, body: inMemory.take(), close: () => Promise.resolve() };
  }
  return fileSpool(file, size);
}

/** Gone with its descriptor, also when the process dies. */
async function unnamedFile(directory: string): Promise<FileHandle> {
  const path = join(directory, `upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

const READ_BYTES = 256 * 1024;

function fileSpool(file: FileHandle, size: number): Spooled {
  async function* body(): AsyncGenerator<Buffer, void> {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
  return { size, body: body(), close: () => file.close() };
}

/** A body on its way into the store; to be closed whatever became of it. */
interface Upload extends Spooled {
  /** Undefined when nothing is to be known of the bytes but what the store finds by itself. */
  readonly seal: (() => ObjectSeal) | undefined;
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
  // As the filter in Swift's proxies: footers have the ETag, if any, and the header is for a server
  // that does not know them.
  const wanted = footerBytes > 0 ? undefined : wantedEtag(call);
  const { contentLength } = body;
  if (contentLength === undefined) return spooled(call, footerBytes, wanted);
  const size = contentLength - footerBytes;
  if (size > api.limits.fileBytesMax) throw new SwiftError(413);
  if (contentLength <= WHOLE_BYTES_MAX) {
    return wholeUpload(await body.collect(contentLength), size, wanted);
  }
  if (footerBytes === 0 && wanted === undefined) {
    return { size, body, seal: undefined, close: NOTHING };
  }
  return { ...splitUpload(body, size, footerBytes, wanted), close: NOTHING };
}

/** A long body, whose MD5 is taken as it goes by, and its footers read behind it. */
function splitUpload(
  body: ByteSource,
  size: number,
  footerBytes: number,
  wanted: string | undefined,
): Omit<Upload, 'close'> {
  const md5 = createHash('md5');
  const split = new FooteredBody(body, size, (chunk) => {
    md5.update(chunk);
  });
  const seal = (): ObjectSeal => {
    const footers = footerBytes === 0 ? undefined : parseFooters(split.footers());
    return sealOf(md5.digest('hex'), wanted, footers);
  };
  return { size, body: split.content(), seal };
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

/** An upload of unknown length: it has to be complete before the store is told its size. */
async function spooled(
  { api, body }: Call,
  footerBytes: number,
  wanted: string | undefined,
): Promise<Upload> {
  const held = await spool(body, api.limits.fileBytesMax + footerBytes, api);
  try {
    requireRoom(held.size, footerBytes);
  } catch (error) {
    await held.close();
    throw error;
  }
  const size = held.size - footerBytes;
  if (Buffer.isBuffer(held.body)) return wholeUpload(held.body, size, wanted);
  return { ...splitUpload(held.body, size, footerBytes, wanted), close: () => held.close() };
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
