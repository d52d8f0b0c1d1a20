import { call, csrf, query, uploadBytesMax } from './api.js';
import { forgetBegun, rememberBegun } from './begun-uploads.js';

/** How one file goes to the console: small ones in one body, large ones in segments. */

/** `again` where it was sent before, and the answer was lost or bad. */
interface Item {
  container: string;
  name: string;
  file: File;
  overwrite: boolean;
  again?: boolean;
}

/** `cancelled` ends it; `abort` is set to what cuts the request under way. */
export interface Attempt {
  cancelled: boolean;
  abort: (() => void) | null;
}

/** Called with bytes. */
type OnProgress = (sent: number, all: number) => void;

const LARGE_BYTES = 64 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const TRIES = 3;
const PAUSE_MS = 500;
/** Nothing sent and nothing answered: longer than the console waits for the store, and says so. */
const SILENCE_MS = 150_000;
/** Longer than the store may look at all segments of a large file. */
const FINISH_MS = 16 * 60_000;
const SILENT = 'The connection stalled.';
/** The console's codes for a user whom it does not know, or no longer. */
const NOBODY = new Set(['unauthenticated', 'csrf']);

/** Whether a file could not be sent since the session is over. */
export function isSessionOver({ code = '' }: { code?: string }) {
  return NOBODY.has(code);
}

/**
 * Sends a file; of a large one only the segments that are not there yet, also after a reload.
 *
 * @throws {Error} an ApiFailure or another Error, whose message is for the user
 */
export async function sendFile(item: Item, attempt: Attempt, onProgress: OnProgress) {
  const isLarge = item.file.size > Math.min(LARGE_BYTES, uploadBytesMax());
  try {
    await (isLarge ? sendLarge : sendSmall)(item, attempt, onProgress);
  } catch (error) {
    if (attempt.cancelled || (await isReadable(item.file))) throw error;
    const text = 'The file was changed or removed after you selected it. Select it again.';
    throw new Error(text, { cause: error });
  }
}

/** A request with a body that cannot be read ends like one that was cut. */
async function isReadable(file: File) {
  // A file that is gone says that it is empty, and so does a part of it that can be read.
  const some = file.size === 0 ? file : file.slice(0, 1);
  return some.arrayBuffer().then(
    () => true,
    () => false,
  );
}

async function sendSmall(
  { container, name, file, overwrite, again }: Item,
  attempt: Attempt,
  onProgress: OnProgress,
) {
  const type = file.type;
  const how = { overwrite: overwrite ? '1' : '0', again: again ? '1' : null };
  const parameters = query({ container, name, ...how, type });
  await put(attempt, `/api/files/object/body?${parameters}`, file, (sent) =>
    onProgress(sent, file.size),
  );
}

async function sendLarge(
  { container, name, file, overwrite }: Item,
  attempt: Attempt,
  onProgress: OnProgress,
) {
  const about = {
    container,
    name,
    size_bytes: file.size,
    mtime_ms: file.lastModified,
    fingerprint: await fingerprint(file),
  };
  const plan = await post(attempt, SILENCE_MS, '/api/files/uploads', about);
  rememberBegun(about);
  const present = new Set(plan.present);
  for (let index = 0; index < plan.segments; index++) {
    const start = index * plan.segment_bytes;
    if (attempt.cancelled) throw new Error('cancelled');
    if (present.has(index)) continue;
    const part = file.slice(start, start + plan.segment_bytes);
    const path = `/api/files/uploads/segment?${query({ ...about, index: String(index) })}`;
    const tell = (sent: number) => onProgress(Math.min(start + sent, file.size), file.size);
    await retried(attempt, () => put(attempt, path, part, tell));
  }
  if (attempt.cancelled) throw new Error('cancelled');
  const type = file.type === '' ? undefined : file.type;
  const finish = { ...about, overwrite, type };
  await post(attempt, FINISH_MS, '/api/files/uploads/finish', finish);
  forgetBegun(about);
}

async function retried(attempt: Attempt, work: () => Promise<void>) {
  for (let i = 1; ; i++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt.cancelled || i === TRIES || isSessionOver(error as { code?: string }))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** i));
      if (attempt.cancelled) throw error;
    }
  }
}

/** Tells the same file again, without reading all of it: its beginning and its end. */
async function fingerprint(file: File) {
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

/** A request that may take so long. */
async function post<Path extends string>(
  attempt: Attempt,
  limitMs: number,
  path: Path,
  body: unknown,
) {
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

/** `XMLHttpRequest`, because `fetch` tells no progress of what is sent. */
function put(
  attempt: Attempt,
  path: string,
  body: Blob,
  onSent: (sent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    attempt.abort = () => request.abort();
    let timer: ReturnType<typeof setTimeout> | undefined;
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
      if (request.status < 300) {
        resolve();
        return;
      }
      const { error } = parse(request.responseText);
      reject(Object.assign(new Error(error.message), { code: error.code }));
    };
    alive();
    request.send(body);
  });
}

interface Refusal {
  readonly error: { readonly message: string; readonly code: string };
}

function parse(text: string): Refusal {
  try {
    return JSON.parse(text) as Refusal;
  } catch {
    return { error: { message: 'The upload failed.', code: 'unknown' } };
  }
}
