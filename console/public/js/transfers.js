import { call, csrf, query, uploadBytesMax } from './api.js';
import { bytesText } from './dom.js';
import { addTransfer } from './transfer-list.js';

/** Uploads: some at a time, each with its progress; large files in segments, which go on after a reload. */

const AT_ONCE = 3;
const LARGE_BYTES = 64 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const TRIES = 3;
const PAUSE_MS = 500;

const queue = [];
let running = 0;

/** @param onDone - told when a file is there */
export function enqueue(container, name, file, onDone) {
  const item = { container, name, file, onDone, overwrite: false, attempt: null };
  item.line = addTransfer(name, { unit: 'bytes', onCancel: () => cancel(item) });
  queue.push(item);
  pump();
}

function cancel(item) {
  const { attempt } = item;
  if (attempt !== null) attempt.cancelled = true;
  attempt?.abort?.();
  if (queue.includes(item)) queue.splice(queue.indexOf(item), 1);
  item.line.fail('cancelled', () => again(item), [], 'Start again');
}

/** Large files go on with the segments that are not there yet. */
function again(item) {
  item.line.begin();
  queue.push(item);
  pump();
}

function pump() {
  while (running < AT_ONCE && queue.length > 0) {
    running += 1;
    run(queue.shift()).finally(() => {
      running -= 1;
      pump();
    });
  }
}

async function run(item) {
  // Of its own for each attempt: one that was cancelled must not go on when the next has begun.
  const attempt = { cancelled: false, abort: null };
  item.attempt = attempt;
  try {
    const isLarge = item.file.size > Math.min(LARGE_BYTES, uploadBytesMax());
    await (isLarge ? sendLarge(item, attempt) : sendSmall(item, attempt));
    item.line.end(`done, ${bytesText(item.file.size)}`);
    item.onDone();
  } catch (error) {
    if (attempt.cancelled) return;
    if (error.code !== 'exists') {
      item.line.fail(error.message, () => again(item));
      return;
    }
    const overwrite = () => {
      item.overwrite = true;
      again(item);
    };
    item.line.fail('There is such an object already.', overwrite, [], 'Overwrite');
  }
}

async function sendSmall(item, attempt) {
  const { container, name, file } = item;
  const type = file.type;
  const parameters = query({ container, name, overwrite: item.overwrite ? '1' : '0', type });
  await put(item, attempt, `/api/files/object/body?${parameters}`, file, 0);
}

async function sendLarge(item, attempt) {
  const { container, name, file } = item;
  const about = {
    container,
    name,
    size_bytes: file.size,
    mtime_ms: file.lastModified,
    fingerprint: await fingerprint(file),
  };
  const plan = await call('POST', '/api/files/uploads', about);
  const present = new Set(plan.present);
  for (let index = 0; index < plan.segments; index++) {
    const start = index * plan.segment_bytes;
    if (attempt.cancelled) throw new Error('cancelled');
    if (present.has(index)) continue;
    const part = file.slice(start, start + plan.segment_bytes);
    const path = `/api/files/uploads/segment?${query({ ...about, index: String(index) })}`;
    await retried(attempt, () => put(item, attempt, path, part, start));
  }
  if (attempt.cancelled) throw new Error('cancelled');
  const { overwrite } = item;
  const type = file.type === '' ? undefined : file.type;
  await call('POST', '/api/files/uploads/finish', { ...about, overwrite, type });
}

async function retried(attempt, work) {
  for (let i = 1; ; i++) {
    try {
      return await work();
    } catch (error) {
      if (attempt.cancelled || i === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** i));
    }
  }
}

/** Tells the same file again, without reading all of it: its beginning and its end. */
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

/** `XMLHttpRequest`, because `fetch` tells no progress of what is sent. */
function put(item, attempt, path, body, before) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    attempt.abort = () => request.abort();
    request.open('PUT', path);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('x-csrf-token', csrf());
    request.upload.onprogress = ({ loaded }) =>
      item.line.progress(Math.min(before + loaded, item.file.size), item.file.size);
    request.onabort = () => reject(new Error('cancelled'));
    request.onerror = () => reject(new Error('The connection was cut.'));
    request.onload = () => {
      if (request.status < 300) return resolve();
      const { error } = parse(request.responseText);
      return reject(Object.assign(new Error(error.message), { code: error.code }));
    };
    request.send(body);
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: 'The upload failed.', code: 'unknown' } };
  }
}
