import { call, csrf, query, uploadBytesMax } from './api.js';

/** How one file goes to the console: small ones in one body, large ones in segments. */

/**
 * @typedef {{ container: string, name: string, file: File, overwrite: boolean, again?: boolean }} Item
 *   `again` where it was sent before, and the answer was lost or bad
 * @typedef {{ cancelled: boolean, abort: (() => void) | null }} Attempt
 *   `cancelled` ends it; `abort` is set to what cuts the request under way
 * @typedef {(sent: number, all: number) => void} OnProgress told bytes
 */

const LARGE_BYTES = 64 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const TRIES = 3;
const PAUSE_MS = 500;
/** Nothing sent and nothing answered: longer than the console waits for the store, and says so. */
const SILENCE_MS = 150_000;
/** Longer than the store may look at all segments of a large file. */
const FINISH_MS = 16 * 60_000;
const SILENT = 'The connection stalled.';
/** What the console says when it does not, or no longer, know who asks. */
const NOBODY = new Set(['unauthenticated', 'csrf']);

/**
 * Whether a file could not be sent since the session is over.
 *
 * @param {{ code?: string }} error
 */
export function isSessionOver({ code = '' }) {
  return NOBODY.has(code);
}

/**
 * Sends a file; of a large one only the segments that are not there yet, also after a reload.
 *
 * @param {Item} item
 * @param {Attempt} attempt
 * @param {OnProgress} onProgress
 * @throws {Error} an ApiFailure or another Error, whose message is for the user
 */
export async function sendFile(item, attempt, onProgress) {
  const isLarge = item.file.size > Math.min(LARGE_BYTES, uploadBytesMax());
  try {
    await (isLarge ? sendLarge : sendSmall)(item, attempt, onProgress);
  } catch (error) {
    if (attempt.cancelled || (await isReadable(item.file))) throw error;
    const text = 'The file was changed or removed after you selected it. Select it again.';
    throw new Error(text, { cause: error });
  }
}

/**
 * A request with a body that cannot be read ends like one that was cut.
 *
 * @param {File} file
 */
async function isReadable(file) {
  // A file that is gone says that it is empty, and so does a part of it that can be read.
  const some = file.size === 0 ? file : file.slice(0, 1);
  return some.arrayBuffer().then(
    () => true,
    () => false,
  );
}

/**
 * @param {Item} item
 * @param {Attempt} attempt
 * @param {OnProgress} onProgress
 */
async function sendSmall({ container, name, file, overwrite, again }, attempt, onProgress) {
  const type = file.type;
  const how = { overwrite: overwrite ? '1' : '0', again: again ? '1' : null };
  const parameters = query({ container, name, ...how, type });
  await put(attempt, `/api/files/object/body?${parameters}`, file, (sent) =>
    onProgress(sent, file.size),
  );
}

/**
 * @param {Item} item
 * @param {Attempt} attempt
 * @param {OnProgress} onProgress
 */
async function sendLarge({ container, name, file, overwrite }, attempt, onProgress) {
  const about = {
    container,
    name,
    size_bytes: file.size,
    mtime_ms: file.lastModified,
    fingerprint: await fingerprint(file),
  };
  const plan = await post(attempt, SILENCE_MS, '/api/files/uploads', about);
  const present = new Set(plan.present);
  for (let index = 0; index < plan.segments; index++) {
    const start = index * plan.segment_bytes;
    if (attempt.cancelled) throw new Error('cancelled');
    if (present.has(index)) continue;
    const part = file.slice(start, start + plan.segment_bytes);
    const path = `/api/files/uploads/segment?${query({ ...about, index: String(index) })}`;
    const tell = (/** @type {number} */ sent) =>
      onProgress(Math.min(start + sent, file.size), file.size);
    await retried(attempt, () => put(attempt, path, part, tell));
  }
  if (attempt.cancelled) throw new Error('cancelled');
  const type = file.type === '' ? undefined : file.type;
  const finish = { ...about, overwrite, type };
  await post(attempt, FINISH_MS, '/api/files/uploads/finish', finish);
}

/**
 * @param {Attempt} attempt
 * @param {() => Promise<void>} work
 */
async function retried(attempt, work) {
  for (let i = 1; ; i++) {
    try {
      return await work();
    } catch (error) {
      if (
        attempt.cancelled ||
        i === TRIES ||
        isSessionOver(/** @type {{ code?: string }} */ (error))
      )
        throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** i));
      if (attempt.cancelled) throw error;
    }
  }
}

/**
 * Tells the same file again, without reading all of it: its beginning and its end.
 *
 * @param {File} file
 */
async function fingerprint(file) {
  const ends = new Blob([file.slice(0, SAMPLE_BYTES), file.slice(-SAMPLE_BYTES)]);
  const text = new TextEncoder().encode(`${file.name}/${file.size}/${file.lastModified}`);
  const bytes = new Uint8Array(await new Blob([text, ends]).arrayBuffer());
  if (crypto.subtle !== undefined) {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  // Pages over plain http from another host have no digests: FNV-1a, twice, is enough to tell files apart.
  return [0x811c9dc5, 0x01000193]
    .map((seed) => {
      let hash = seed;
      for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
      return hash.toString(16).padStart(8, '0');
    })
    .join('');
}

/**
 * A request that may take so long.
 *
 * @template {string} Path
 * @param {Attempt} attempt
 * @param {number} limitMs
 * @param {Path} path
 * @param {unknown} body
 */
async function post(attempt, limitMs, path, body) {
  const limit = new AbortController();
  attempt.abort = () => limit.abort();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await call('POST', path, body, false, limit.signal);
  } catch (error) {
    throw limit.signal.aborted ? new Error(SILENT, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `XMLHttpRequest`, because `fetch` tells no progress of what is sent.
 *
 * @param {Attempt} attempt
 * @param {string} path
 * @param {Blob} body
 * @param {(sent: number) => void} onSent
 * @returns {Promise<void>}
 */
function put(attempt, path, body, onSent) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    attempt.abort = () => request.abort();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), SILENCE_MS);
    };
    request.open('PUT', path);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('x-csrf-token', csrf());
    request.upload.onprogress = ({ loaded }) => {
      alive();
      onSent(loaded);
    };
    request.onreadystatechange = alive;
    request.onloadend = () => clearTimeout(timer);
    request.onabort = () => reject(new Error(SILENT));
    request.onerror = () =>
      reject(Object.assign(new Error('The connection was interrupted.'), { code: 'cut' }));
    request.onload = () => {
      if (request.status < 300) return resolve();
      const { error } = parse(request.responseText);
      return reject(Object.assign(new Error(error.message), { code: error.code }));
    };
    alive();
    request.send(body);
  });
}

/**
 * @param {string} text
 * @returns {{ error: { message: string, code: string } }}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: 'The upload failed.', code: 'unknown' } };
  }
}
