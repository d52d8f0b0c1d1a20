import { BackendError } from '../errors.js';
import type { ContainerRef } from '../backend.js';

/**
 * Keys of the index. LMDB compares them as bytes, so a listing comes out in the byte order of the
 * names' UTF-8 without any sorting of our own.
 *
 *   containers   account length (1), account, container
 *   usage        container id (6)
 *   objects      container id (6), object name
 *   bodies       body id (6)
 *   reclaim      body id (6)
 *   expiry       digest of the account (8), time in ms (6), digest of container and name (16)
 *
 * Container ids are never used twice: an object key that is found proves that its container exists.
 */

export const ID_BYTES = 6;

/** LMDB takes keys of 4026 bytes with 8 KiB pages; some of that stays in reserve. */
export const OBJECT_NAME_BYTES_MAX = 3900;
export const ACCOUNT_BYTES_MAX = 255;
/** Swift's limit, and room for the `+segments` and `+versions` of an S3 bucket. */
export const CONTAINER_BYTES_MAX = 256;

/** @throws BackendError NameTooLong */
export function containerKey(ref: ContainerRef): Buffer {
  const prefix = accountPrefix(ref.account);
  const name = Buffer.from(ref.container);
  if (name.length === 0 || name.length > CONTAINER_BYTES_MAX) {
    throw nameError('a container name', name.length, CONTAINER_BYTES_MAX);
  }
  return Buffer.concat([prefix, name]);
}

/** The prefix of the keys of an account's containers. @throws BackendError NameTooLong */
export function accountPrefix(account: string): Buffer {
  const name = Buffer.from(account);
  if (name.length === 0 || name.length > ACCOUNT_BYTES_MAX) {
    throw nameError('an account name', name.length, ACCOUNT_BYTES_MAX);
  }
  return Buffer.concat([Buffer.of(name.length), name]);
}

export function idKey(id: number): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES);
  key.writeUIntBE(id, 0, ID_BYTES);
  return key;
}

export function idOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUIntBE(0, ID_BYTES);
}

/** @throws BackendError NameTooLong */
export function objectKey(containerId: number, name: string): Buffer {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > OBJECT_NAME_BYTES_MAX) {
    throw nameError('an object name', bytes, OBJECT_NAME_BYTES_MAX);
  }
  return objectKeyFrom(containerId, name, bytes);
}

/**
 * Where a scan for names from `text` on begins. Unlike a name, it may be empty or longer than any
 * name: what is cut off cannot matter, since no stored key is that long.
 */
export function scanKey(containerId: number, text: string): Buffer {
  const key = objectKeyFrom(containerId, text, Buffer.byteLength(text));
  return key.subarray(0, ID_BYTES + OBJECT_NAME_BYTES_MAX + 1);
}

/** The first key behind all keys that begin with `key`; undefined when there is none. */
export function afterPrefix(key: Buffer): Buffer | undefined {
  let end = key.length;
  // UTF-8 has no 0xff byte, so this loop matters for ids only.
  while (end > 0 && key[end - 1] === 0xff) end--;
  if (end === 0) return undefined;
  const next = Buffer.from(key.subarray(0, end));
  next[end - 1] = (next[end - 1] ?? 0) + 1;
  return next;
}

/** The first key behind `key` itself. */
export function afterKey(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(0)]);
}

function objectKeyFrom(containerId: number, text: string, bytes: number): Buffer {
  const key = Buffer.allocUnsafe(ID_BYTES + bytes);
  key.writeUIntBE(containerId, 0, ID_BYTES);
  key.write(text, ID_BYTES, 'utf8');
  return key;
}

function nameError(what: string, bytes: number, max: number): BackendError {
  const problem = bytes === 0 ? 'may not be empty' : `of ${bytes} bytes is longer than ${max}`;
  return new BackendError('NameTooLong', `${what} ${problem}`);
}
