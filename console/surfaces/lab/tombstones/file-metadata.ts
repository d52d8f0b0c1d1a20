import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { getAttrSync } from 'fs-native-extensions';
import { PickleError, readPickle } from './pickle.js';

/** Where the name of an object was read. */
export type NameSource = 'xattr' | 'sidecar';

export interface FoundName {
  /** `/account/container/object` */
  readonly name: string;
  readonly source: NameSource;
}

const ATTRIBUTE = 'user.swift.metadata';
const CHECKSUM = 'user.swift.metadata_checksum';
/** Swift cuts metadata at 64 KiB, into attributes that are numbered. */
const ATTRIBUTES_MAX = 16;
const SIDECAR_BYTES_MAX = 64 * 1024;
/** Not a link, and not a pipe that would hold the thread. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The name of the object that a file belongs to: from its extended attributes, as Swift writes them,
 * or from a file beside it (`<file>.json` with `{"name": "/a/c/o"}`), where the disk keeps none.
 *
 * @param file - path of a `.ts`, `.data` or `.meta`
 * @returns undefined where neither says it, or what is there is not Swift's
 */
export function readName(file: string): FoundName | undefined {
  const own = withFile(file, (fd) => {
    const metadata = attributesOf(fd);
    return metadata === undefined ? undefined : nameIn(metadata);
  });
  if (own !== undefined) return { name: own, source: 'xattr' };
  const beside = withFile(`${file}.json`, (fd, bytes) => {
    if (bytes > SIDECAR_BYTES_MAX) return undefined;
    const { name } = JSON.parse(readFileSync(fd, 'utf8')) as { readonly name?: unknown };
    return typeof name === 'string' && name.startsWith('/') ? name : undefined;
  });
  return beside === undefined ? undefined : { name: beside, source: 'sidecar' };
}

/** @returns undefined also where the file cannot be opened, or is none */
function withFile(
  file: string,
  read: (fd: number, bytes: number) => string | undefined,
): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, FLAGS);
    const { size } = fstatSync(fd);
    return fstatSync(fd).isFile() ? read(fd, size) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function attributesOf(fd: number): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let index = 0; index < ATTRIBUTES_MAX; index++) {
    const part = attribute(fd, index === 0 ? ATTRIBUTE : `${ATTRIBUTE}${index}`);
    if (part === undefined) break;
    parts.push(part);
  }
  if (parts.length === 0) return undefined;
  const whole = Buffer.concat(parts);
  const checksum = attribute(fd, CHECKSUM);
  if (checksum === undefined) return whole;
  const md5 = createHash('md5').update(whole).digest('hex');
  return checksum.toString('latin1') === md5 ? whole : undefined;
}

function attribute(fd: number, name: string): Buffer | undefined {
  try {
    return getAttrSync(fd, name) ?? undefined;
  } catch {
    // ENODATA, or a file system without attributes.
    return undefined;
  }
}

function nameIn(metadata: Buffer): string | undefined {
  try {
    return readPickle(metadata).get('name');
  } catch (error) {
    if (error instanceof PickleError) return undefined;
    throw error;
  }
}
