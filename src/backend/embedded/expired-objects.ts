import { hash } from 'node:crypto';
import type { ExpiredObject, ExpiredQuery, ObjectRef } from '../backend.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { afterKey } from './keys.js';
import type { Tables } from './tables.js';

/**
 * Which objects expire, in the order in which they do, so that finding those that have takes no walk
 * over all the others. A row comes and goes in the transaction that writes the object; objects that
 * never expire have none.
 */

const ACCOUNT_BYTES = 8;
const TIME_BYTES = 6;

const writer = new ByteWriter();

/**
 * Adds a row for an object that expires; does nothing without a time. Call it inside a transaction.
 */
export function rememberExpiry(
  { expiry }: Tables,
  ref: ObjectRef,
  deleteAt: number | undefined,
): void {
  if (deleteAt === undefined) return;
  const value = writer.begin().text(ref.account).text(ref.container).text(ref.object).take();
  void expiry.put(expiryKey(ref, deleteAt), value);
}

export function forgetExpiry(
  { expiry }: Tables,
  ref: ObjectRef,
  deleteAt: number | undefined,
): void {
  if (deleteAt !== undefined) void expiry.remove(expiryKey(ref, deleteAt));
}

/** @param now - milliseconds since the epoch */
export function listExpired(
  { expiry }: Tables,
  account: string,
  { limit, after }: ExpiredQuery,
  now: number,
): ExpiredObject[] {
  const start =
    after === undefined ? timeKey(account, 0) : afterKey(expiryKey(after.ref, after.deleteAt));
  const end = timeKey(account, now + 1);
  return [...expiry.getRange({ start, end, limit })].map(({ key, value }) => {
    const reader = new ByteReader(value);
    const ref = { account: reader.text(), container: reader.text(), object: reader.text() };
    const row = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
    return { ref, deleteAt: row.readUIntBE(ACCOUNT_BYTES, TIME_BYTES) };
  });
}

/** Digests, since names are as long as keys may be: two objects never share one. */
function expiryKey(ref: ObjectRef, deleteAt: number): Buffer {
  const name = hash('md5', `${ref.container}/${ref.object}`, 'buffer');
  return Buffer.concat([timeKey(ref.account, deleteAt), name]);
}

function timeKey(account: string, deleteAt: number): Buffer {
  const key = Buffer.alloc(ACCOUNT_BYTES + TIME_BYTES);
  hash('sha256', account, 'buffer').copy(key, 0, 0, ACCOUNT_BYTES);
  key.writeUIntBE(deleteAt, ACCOUNT_BYTES, TIME_BYTES);
  return key;
}
