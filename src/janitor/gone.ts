import { isCode } from '../backend/errors.js';

export function isMissing(error: unknown): boolean {
  return isCode(error, 'NoSuchObject', 'NoSuchContainer');
}

/** @returns undefined where another client has deleted what the call is about, or its container */
export function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/**
 * Like {@link unlessGone}, and also undefined where a pointer of a client of the store, such as a link
 * to another container or to nothing, stands in its place. No requester stands behind the janitor's
 * calls, so what such a pointer leads to is left alone.
 */
export function unlessOutOfReach<T>(call: Promise<T>): Promise<T | undefined> {
  return unlessGone(call).catch((error: unknown) => {
    if (isCode(error, 'Denied', 'BrokenLink')) return undefined;
    throw error;
  });
}
