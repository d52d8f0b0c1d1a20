import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  ARCHIVE,
  archiveEnd,
  descriptor,
  DESCRIPTOR_BYTES,
  LOCAL_EXTRA_BYTES,
  LOCAL_HEADER_BYTES,
  LOCAL_SIGNATURE,
  localHeader,
  sizeIn,
  type ArchivedFile,
} from './archive-format.js';
import { ByteReader } from './byte-reader.js';
import { CapsuleError, shownName } from './capsule-error.js';
import {
  checkDocuments,
  type CheckedDocuments,
  type ManifestHead,
  type SealedDocuments,
} from './check-documents.js';
import { isContent, MANIFEST, namesAfter, SIGNATURE } from './file-names.js';
import type { SealedFile } from './manifest.js';

/** A file of a capsule, and where in the archive its bytes begin. */
export interface FoundFile extends SealedFile {
  readonly offset: number;
}

/** A capsule that is whole, and signed by the key that it names. */
export interface VerifiedCapsule {
  readonly manifest: ManifestHead;
  readonly files: readonly FoundFile[];
  /** The documents, by path. */
  readonly documents: ReadonlyMap<string, Buffer>;
  readonly key_id: string;
}

/** Bytes of a document; the longest is the manifest of ten thousand segments. */
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
const NAME_BYTES_MAX = 256;

export interface VerifyOptions {
  /** The most bytes that the body and the segments may have together. */
  readonly contentBytesMax?: number | undefined;
  /** Does what {@link checkDocuments} does, where that may not hold up the event loop. */
  readonly check?: (documents: SealedDocuments) => Promise<CheckedDocuments> | CheckedDocuments;
}

/**
 * Verifies a capsule in one go, holding its documents and nothing of the body.
 *
 * @throws CapsuleError with the file that is wrong; what the source and `check` throw
 */
export async function verifyCapsule(
  source: AsyncIterable<Buffer>,
  { contentBytesMax = Number.MAX_SAFE_INTEGER, check = checkDocuments }: VerifyOptions = {},
): Promise<VerifiedCapsule> {
  const reader = new ByteReader(source);
  try {
    return await new Verification(reader, contentBytesMax).run(check);
  } finally {
    await reader.close();
  }
}

class Verification {
  readonly #archived: ArchivedFile[] = [];
  readonly #files: FoundFile[] = [];
  readonly #documents = new Map<string, Buffer>();
  /** See `SealedDocuments`. */
  readonly #found: string[] = [];
  #contentBytes = 0;

  constructor(
    private readonly reader: ByteReader,
    private readonly contentBytesMax: number,
  ) {}

  async run(check: NonNullable<VerifyOptions['check']>): Promise<VerifiedCapsule> {
    for (;;) {
      const names = namesAfter(this.#files.at(-1)?.path);
      if (names.length === 0) break;
      await this.#readFile(names);
    }
    await this.#readEnd();
    const { manifest, key_id } = await check({
      manifest: this.#documents.get(MANIFEST) ?? Buffer.alloc(0),
      signature: this.#documents.get(SIGNATURE) ?? Buffer.alloc(0),
      found: this.#found.join('\n'),
    });
    return { manifest, files: this.#files, documents: this.#documents, key_id };
  }

  async #readFile(names: readonly string[]): Promise<void> {
    const start = this.reader.offset;
    const path = await this.#nextName(names);
    const bytes = await this.#readHeader(path);
    const offset = this.reader.offset;
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    let crc = 0;
    for await (const chunk of this.reader.chunks(bytes)) {
      crc = crc32(chunk, crc);
      hash.update(chunk);
      if (!isContent(path)) kept.push(chunk);
    }
    const end = await this.reader.take(DESCRIPTOR_BYTES);
    if (end.length < DESCRIPTOR_BYTES) throw truncated(path);
    if (!end.equals(descriptor(bytes, crc))) {
      const isSize = end.readUInt32LE(4) === crc;
      throw isSize
        ? new CapsuleError('wrong_size', path, 'its size is not the one that follows it')
        : new CapsuleError('damaged', path, 'its bytes are not those that were written');
    }
    if (!isContent(path)) this.#documents.set(path, Buffer.concat(kept));
    this.#archived.push({ path, bytes, crc, offset: start });
    const sha256 = hash.digest('hex');
    this.#files.push({ path, bytes, offset, sha256 });
    if (path === MANIFEST || path === SIGNATURE) return;
    this.#found.push(JSON.stringify({ path, bytes, sha256 }));
  }

  /** The file that comes next: one byte of its name may be damaged, since it shall be named. */
  async #nextName(names: readonly string[]): Promise<string> {
    const seen = await this.reader.peek(LOCAL_HEADER_BYTES + NAME_BYTES_MAX);
    const isFirst = this.#files.length === 0;
    if (seen.length < LOCAL_HEADER_BYTES) throw truncated(names[0] ?? ARCHIVE);
    const isHeader = seen.readUInt32LE(0) === LOCAL_SIGNATURE;
    const close = names.find((name) => {
      const wanted = Buffer.from(name);
      const found = seen.subarray(LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + wanted.length);
      return found.length === wanted.length && differences(found, wanted) <= 1;
    });
    if (close !== undefined) return close;
    if (!isHeader) {
      if (isFirst) throw new CapsuleError('not_a_capsule', ARCHIVE, 'it is no capsule');
      throw new CapsuleError('missing', names.at(-1) ?? ARCHIVE, 'it is not in the capsule');
    }
    const length = Math.min(seen.readUInt16LE(26), NAME_BYTES_MAX);
    const bytes = seen.subarray(LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + length);
    const found = bytes.toString('latin1');
    if (this.#files.some(({ path }) => path === found)) {
      throw new CapsuleError('duplicate', found, 'it is in the capsule twice');
    }
    const reason = `no file of a capsule has this name here; expected ${names.join(' or ')}`;
    throw new CapsuleError('bad_name', shownName(bytes), reason);
  }

  /** @returns the size of the file */
  async #readHeader(path: string): Promise<number> {
    const length = LOCAL_HEADER_BYTES + Buffer.byteLength(path) + LOCAL_EXTRA_BYTES;
    const found = await this.reader.take(length);
    if (found.length < length) throw truncated(path);
    const told = sizeIn(found);
    const isSafe = told <= BigInt(Number.MAX_SAFE_INTEGER);
    const bytes = isSafe ? Number(told) : 0;
    if (!isSafe || !found.equals(localHeader(path, bytes))) {
      const method = found.readUInt16LE(8);
      throw method === 0
        ? new CapsuleError('damaged', path, 'its header is not as capsules have it')
        : new CapsuleError('compressed', path, 'files of capsules are not compressed');
    }
    if (isContent(path)) this.#contentBytes += bytes;
    if (isContent(path) ? this.#contentBytes > this.contentBytesMax : bytes > DOCUMENT_BYTES_MAX) {
      throw new CapsuleError('too_large', path, 'it is larger than may be taken');
    }
    return bytes;
  }

  /** The end says nothing that is not known by now. */
  async #readEnd(): Promise<void> {
    for (const { file, bytes } of archiveEnd(this.#archived, this.reader.offset)) {
      const found = await this.reader.take(bytes.length);
      if (found.length < bytes.length) throw truncated(file);
      if (!found.equals(bytes)) {
        const reason = 'the directory at the end of the archive does not fit it';
        throw new CapsuleError('damaged', file, reason);
      }
    }
    if ((await this.reader.peek(1)).length > 0) {
      throw new CapsuleError('trailing_bytes', ARCHIVE, 'more bytes follow its end');
    }
  }
}

function truncated(file: string): CapsuleError {
  return new CapsuleError('truncated', file, 'the archive ends in it');
}

function differences(a: Buffer, b: Buffer): number {
  let count = 0;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) count++;
  return count;
}
