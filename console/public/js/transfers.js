import { call, csrf, query } from './api.js';
import { $, bytesText, el } from './dom.js';

/** Uploads: some at a time, each with its progress; large files in segments, which go on after a reload. */

const AT_ONCE = 3;
const LARGE_BYTES = 64 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const TRIES = 3;

const queue = [];
let running = 0;

/** @param onDone - told when a file is there */
export function enqueue(container, name, file, onDone) {
  const item = { container, name, file, onDone, abort: null, cancelled: false };
  item.bar = el('progress', { max: Math.max(1, file.size), value: 0 });
  item.bar.setAttribute('aria-label', name);
  item.text = el('span', { className: 'quiet', textContent: 'waiting' });
  item.button = el('button', { textContent: 'Cancel', onclick: () => cancel(item) });
  item.row = el('li', {}, el('span', { textContent: name }), item.bar, item.text, item.button);
  $('#transfers').hidden = false;
  $('#queue').append(item.row);
  queue.push(item);
  pump();
}

function cancel(item) {
  item.cancelled = true;
  item.abort?.();
  if (queue.includes(item)) queue.splice(queue.indexOf(item), 1);
  item.text.textContent = 'cancelled';
  item.button.remove();
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
  item.startedMs = performance.now();
  try {
    await (item.file.size > LARGE_BYTES ? sendLarge(item) : sendSmall(item));
    item.bar.value = item.bar.max;
    item.text.textContent = 'done';
    item.button.remove();
    item.onDone();
  } catch (error) {
    if (item.cancelled) return;
    item.text.textContent = error.message;
    item.button.textContent = error.code === 'exists' ? 'Overwrite' : 'Retry';
    item.button.onclick = () => {
      item.overwrite = item.overwrite || error.code === 'exists';
      item.button.textContent = 'Cancel';
      item.button.onclick = () => cancel(item);
      queue.push(item);
      pump();
    };
  }
}

async function sendSmall(item) {
  const { container, name, file } = item;
  const type = file.type;
  const parameters = query({ container, name, overwrite: item.overwrite ? '1' : '0', type });
  await put(item, `/api/files/object/body?${parameters}`, file, 0);
}

async function sendLarge(item) {
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
    if (present.has(index)) continue;
    const part = file.slice(start, start + plan.segment_bytes);
    const path = `/api/files/uploads/segment?${query({ ...about, index: String(index) })}`;
    await retried(item, () => put(item, path, part, start));
  }
  const overwrite = item.overwrite === true;
  const type = file.type === '' ? undefined : file.type;
  await call('POST', '/api/files/uploads/finish', { ...about, overwrite, type });
}

async function retried(item, work) {
  for (let i = 1; ; i++) {
    try {
      return await work();
    } catch (error) {
      if (item.cancelled || i === TRIES) throw error;
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
function put(item, path, body, before) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    item.abort = () => request.abort();
    request.open('PUT', path);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('x-csrf-token', csrf());
    request.upload.onprogress = ({ loaded }) => show(item, before + loaded);
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

function show(item, sent) {
  item.firstBytes ??= sent;
  item.bar.value = sent;
  const seconds = (performance.now() - item.startedMs) / 1000;
  const perSecond = (sent - item.firstBytes) / Math.max(seconds, 0.1);
  const left = perSecond > 0 ? Math.round((item.file.size - sent) / perSecond) : null;
  const eta = left === null ? '' : `, ${left} s left`;
  item.text.textContent = `${bytesText(perSecond)}/s${eta}`;
}
