import { call } from '../../../ui/api.js';
import { againButton, el, isOutdated, messageOf } from '../../../ui/dom.js';
import { may } from './state.js';
import type { ObjectView } from '../object-routes.js';

const VALUE_LENGTH_MAX = 256;
/** The characters of a header's name: S3 clients use all of them. */
const NAME = "[A-Za-z0-9!#$%&'*+.^_`\\|~\\-]{1,128}";

/** An object's own metadata, type and expiry; read only for those who may not change them. */
export function metadataEditor(
  container: string,
  name: string,
  info: ObjectView,
  onSaved: () => Promise<void>,
) {
  const section = el('section', {}, el('h3', { textContent: 'Metadata' }));
  const entries = Object.entries(info.meta);
  if (!may('member')) {
    const list = el('dl');
    for (const [key, value] of entries) {
      list.append(el('dt', { textContent: key }), el('dd', { textContent: value }));
    }
    section.append(
      entries.length === 0 ? el('p', { className: 'quiet', textContent: 'None.' }) : list,
    );
    return section;
  }
  const rows = el('div', { className: 'meta' });
  for (const [key, value] of entries) rows.append(entryRow(key, value));
  const add = el('button', { type: 'button', textContent: 'Add metadata' });
  add.onclick = () => {
    const row = entryRow('', '');
    rows.append(row);
    row.querySelector('input')?.focus();
  };
  const type = el('input', {
    name: 'type',
    value: info.content_type,
    required: true,
    maxLength: 256,
  });
  const expires = el('input', { name: 'expires', type: 'datetime-local' });
  expires.value = localTime(info.delete_at_unix_s);
  const problem = el('p', { className: 'error', role: 'alert' });
  const form = el(
    'form',
    {},
    rows,
    add,
    el('label', {}, 'Content type', type),
    info.s3 === null
      ? el('label', {}, 'Expires (leave empty for never)', expires)
      : el('p', { className: 'quiet', textContent: 'Saving creates a new version.' }),
    problem,
    el('button', { className: 'primary', textContent: 'Save' }),
  );
  form.onsubmit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      const at = expires.value === '' ? null : Math.floor(new Date(expires.value).getTime() / 1000);
      // A time in minutes is coarser than the store's: what was not touched stays as it is.
      const same = expires.value === localTime(info.delete_at_unix_s);
      const { etag, last_modified, content_type, delete_at_unix_s, meta } = info;
      const was = { etag, last_modified, content_type, delete_at_unix_s, meta };
      const body = { container, name, meta: metaOf(rows), content_type: type.value, was };
      await call('PATCH', '/api/files/object', same ? body : { ...body, delete_at_unix_s: at });
      await onSaved();
    } catch (error) {
      problem.textContent = messageOf(error);
      if (!isOutdated(error)) return;
      problem.append(' ', againButton(onSaved));
    }
  };
  section.append(form);
  return section;
}

function entryRow(key: string, value: string) {
  const name = el('input', { value: key, pattern: NAME, required: true, placeholder: 'name' });
  name.setAttribute('aria-label', 'Metadata name');
  name.title = "Letters, digits and !#$%&'*+.^_`|~-";
  // A value that an S3 client wrote may be longer, and stays as it is.
  const maxLength = Math.max(VALUE_LENGTH_MAX, value.length);
  const text = el('input', { value, maxLength, placeholder: 'value' });
  text.setAttribute('aria-label', 'Metadata value');
  const remove = el('button', { type: 'button', textContent: '×' });
  remove.setAttribute('aria-label', `Remove ${key || 'this entry'}`);
  const row = el('div', { className: 'entry' }, name, text, remove);
  remove.onclick = () => row.remove();
  return row;
}

/** @throws Error for a name that stands there twice */
function metaOf(rows: HTMLElement) {
  const meta = new Map<string, string>();
  for (const row of rows.children) {
    const inputs = [...row.querySelectorAll('input')];
    const [name, text] = inputs as [HTMLInputElement, HTMLInputElement];
    const key = name.value.trim().toLowerCase();
    if (meta.has(key))
      throw new Error(`Duplicate entry “${key}”. Each name can be used only once.`);
    meta.set(key, text.value);
  }
  return Object.fromEntries(meta);
}

/** A time as an input of local time takes it: `2026-01-31T23:59`. */
function localTime(unixS: number | null) {
  if (unixS === null) return '';
  const date = new Date(unixS * 1000);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
