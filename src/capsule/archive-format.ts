/**
 * The archive of a capsule: a ZIP64 file in one form only, so that each byte of it is either a byte
 * of a file, or known beforehand. ZIP programs read it; a reader of our own compares it.
 *
 * Form (PKWARE APPNOTE 6.3): files are stored, not compressed; sizes and CRC follow the file (bit 3),
 * with the size before it in an extra field of our own, so that the archive can be written and read
 * in one go; times and rights are fixed; all sizes and offsets are those of ZIP64.
 */

/** The entry of a file at the end of the archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly crc: number;
  /** Where its local header begins. */
  readonly offset: number;
}

export const LOCAL_HEADER_BYTES = 30;
/** The extra fields of a local header: that of ZIP64, and our own. */
const ZIP64_EXTRA_BYTES = 20;
const SIZE_EXTRA_BYTES = 12;
export const LOCAL_EXTRA_BYTES = ZIP64_EXTRA_BYTES + SIZE_EXTRA_BYTES;
export const DESCRIPTOR_BYTES = 24;
export const LOCAL_SIGNATURE = 0x0403_4b50;

const CENTRAL_SIGNATURE = 0x0201_4b50;
const DESCRIPTOR_SIGNATURE = 0x0807_4b50;
const END_64_SIGNATURE = 0x0606_4b50;
const LOCATOR_SIGNATURE = 0x0706_4b50;
const END_SIGNATURE = 0x0605_4b50;
/** 4.5: the first version with ZIP64. */
const VERSION = 45;
const MADE_ON_UNIX = 0x0300 | VERSION;
/** Sizes follow the file; names are UTF-8. */
const FLAGS = 0x0808;
/** 1980-01-01, the first day that ZIP knows. */
const DATE = 0x0021;
const ZIP64_EXTRA_ID = 1;
/** `RW`. */
const SIZE_EXTRA_ID = 0x5752;
const ELSEWHERE_32 = 0xffff_ffff;
const ELSEWHERE_16 = 0xffff;
const FILE_RIGHTS = (0o100644 << 16) >>> 0;

/** The local header of a file. */
export function localHeader(path: string, bytes: number): Buffer {
  const name = Buffer.from(path);
  const header = Buffer.alloc(LOCAL_HEADER_BYTES + name.length + LOCAL_EXTRA_BYTES);
  header.writeUInt32LE(LOCAL_SIGNATURE, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(DATE, 12);
  header.writeUInt32LE(ELSEWHERE_32, 18);
  header.writeUInt32LE(ELSEWHERE_32, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(LOCAL_EXTRA_BYTES, 28);
  name.copy(header, LOCAL_HEADER_BYTES);
  const extra = LOCAL_HEADER_BYTES + name.length;
  header.writeUInt16LE(ZIP64_EXTRA_ID, extra);
  header.writeUInt16LE(ZIP64_EXTRA_BYTES - 4, extra + 2);
  const size = extra + ZIP64_EXTRA_BYTES;
  header.writeUInt16LE(SIZE_EXTRA_ID, size);
  header.writeUInt16LE(SIZE_EXTRA_BYTES - 4, size + 2);
  header.writeBigUInt64LE(BigInt(bytes), size + 4);
  return header;
}

/** The size that a local header tells. @param header - all of it, or of something like it */
export function sizeIn(header: Buffer): bigint {
  return header.readBigUInt64LE(header.length - 8);
}

/** The data descriptor, which follows the bytes of a file. */
export function descriptor(bytes: number, crc: number): Buffer {
  const made = Buffer.alloc(DESCRIPTOR_BYTES);
  made.writeUInt32LE(DESCRIPTOR_SIGNATURE, 0);
  made.writeUInt32LE(crc, 4);
  made.writeBigUInt64LE(BigInt(bytes), 8);
  made.writeBigUInt64LE(BigInt(bytes), 16);
  return made;
}

/** A part of the end of an archive, with the file that it is about. */
export interface EndPart {
  readonly file: string;
  readonly bytes: Buffer;
}

/** The name of the archive's own end in messages. */
export const ARCHIVE = 'archive';

/** The directory and the end of an archive. @param start - how many bytes are before it */
export function archiveEnd(files: readonly ArchivedFile[], start: number): EndPart[] {
  const parts: EndPart[] = files.map((file) => ({ file: file.path, bytes: centralRecord(file) }));
  const directory = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(END_64_SIGNATURE, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(MADE_ON_UNIX, 12);
  end.writeUInt16LE(VERSION, 14);
  end.writeBigUInt64LE(BigInt(files.length), 24);
  end.writeBigUInt64LE(BigInt(files.length), 32);
  end.writeBigUInt64LE(BigInt(directory), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.writeUInt32LE(LOCATOR_SIGNATURE, 56);
  end.writeBigUInt64LE(BigInt(start + directory), 64);
  end.writeUInt32LE(1, 72);
  end.writeUInt32LE(END_SIGNATURE, 76);
  end.writeUInt16LE(ELSEWHERE_16, 84);
  end.writeUInt16LE(ELSEWHERE_16, 86);
  end.writeUInt32LE(ELSEWHERE_32, 88);
  end.writeUInt32LE(ELSEWHERE_32, 92);
  return [...parts, { file: ARCHIVE, bytes: end }];
}

function centralRecord({ path, bytes, crc, offset }: ArchivedFile): Buffer {
  const name = Buffer.from(path);
  const extraBytes = 28;
  const record = Buffer.alloc(46 + name.length + extraBytes);
  record.writeUInt32LE(CENTRAL_SIGNATURE, 0);
  record.writeUInt16LE(MADE_ON_UNIX, 4);
  record.writeUInt16LE(VERSION, 6);
  record.writeUInt16LE(FLAGS, 8);
  record.writeUInt16LE(DATE, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(ELSEWHERE_32, 20);
  record.writeUInt32LE(ELSEWHERE_32, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extraBytes, 30);
  record.writeUInt32LE(FILE_RIGHTS, 38);
  record.writeUInt32LE(ELSEWHERE_32, 42);
  name.copy(record, 46);
  const extra = 46 + name.length;
  record.writeUInt16LE(ZIP64_EXTRA_ID, extra);
  record.writeUInt16LE(extraBytes - 4, extra + 2);
  record.writeBigUInt64LE(BigInt(bytes), extra + 4);
  record.writeBigUInt64LE(BigInt(bytes), extra + 12);
  record.writeBigUInt64LE(BigInt(offset), extra + 20);
  return record;
}
