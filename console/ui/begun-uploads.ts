import { userName } from './api.js';

/**
 * Large files that this user has begun to upload in this browser, and that are not there yet. The
 * store keeps their segments; the file itself has to be chosen once more.
 */

export interface Begun {
  container: string;
  name: string;
  size_bytes: number;
  mtime_ms: number;
  fingerprint: string;
}

const MOST = 50;
const keyOf = () => `unfinished-uploads ${userName()}`;
const isOf = (one: Begun, other: Begun) =>
  one.container === other.container && one.name === other.name;

/** The latest first. */
export function begunUploads(): Begun[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isBegun) : [];
  } catch {
    return [];
  }
}

/** The stored values may be of another release. */
function isBegun(kept: unknown): kept is Begun {
  const { container, name, size_bytes: size, fingerprint } = (kept ?? {}) as Partial<Begun>;
  return [container, name, fingerprint].every((one) => typeof one === 'string') && Number(size) > 0;
}

function keep(list: readonly Begun[]) {
  try {
    localStorage.setItem(keyOf(), JSON.stringify(list.slice(0, MOST)));
  } catch {
    // Without room for it the upload goes on all the same.
  }
}

/** @param file that has begun to be sent in segments */
export function rememberBegun({ container, name, size_bytes, mtime_ms, fingerprint }: Begun) {
  const file = { container, name, size_bytes, mtime_ms, fingerprint };
  keep([file, ...begunUploads().filter((one) => !isOf(one, file))]);
}

export function forgetBegun(file: Begun) {
  keep(begunUploads().filter((one) => !isOf(one, file)));
}
