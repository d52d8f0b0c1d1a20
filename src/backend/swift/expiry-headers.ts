import type { RequestHeaders } from './transport.js';

/**
 * Swift counts expiry in whole seconds.
 * @param deleteAt - milliseconds since the epoch; null and undefined: never
 */
export function deleteAtHeaders(deleteAt: number | null | undefined): RequestHeaders {
  if (deleteAt === undefined || deleteAt === null) return NEVER;
  return { 'x-delete-at': String(Math.ceil(deleteAt / 1000)) };
}

const NEVER: RequestHeaders = {};
