import { call } from '../../../ui/api.js';
import { againButton, el, isOutdated, messageOf } from '../../../ui/dom.js';
import { addEntry, entriesIn, entryRow, localTime, quiet } from './s3/fields.js';
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
    section.append(entries.length === 0 ? quiet('None.') : list);
    return section;
  }
  const rows = el('div', { className: 'meta' });
  rows.append(...entries.map(([key, value]) => rowOf(key, value)));
  const add = el('button', { type: 'button', textContent: 'Add metadata' });
  add.onclick = () => addEntry(rows, rowOf('', ''));
  const about = { value: info.content_type, required: true, maxLength: 256 };
  const type = el('input', { name: 'type', ...about });
  const { delete_at_unix_s: expiry } = info;
  const present = expiry === null ? '' : localTime(expiry * 1000);
  const expires = el('input', { name: 'expires', type: 'datetime-local', value: present });
  const problem = el('p', { className: 'error', role: 'alert' });
  const form = el(
    'form',
    {},
    rows,
    add,
    el('label', {}, 'Content type', type),
    info.s3 === null
      ? el('label', {}, 'Expires (leave empty for never)', expires)
      : quiet('Saving creates a new version.'),
    problem,
    el('button', { className: 'primary', textContent: 'Save' }),
  );
  form.onsubmit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      const at = expires.value === '' ? null : Math.floor(new Date(expires.value).getTime() / 1000);
      // A time in minutes is coarser than the store's: what was not touched stays as it is.
      const same = expires.value === present;
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

function rowOf(key: string, value: string) {
  const signs = { pattern: NAME, title: "Letters, digits and !#$%&'*+.^_`|~-" };
  const name = { value: key, placeholder: 'name', ariaLabel: 'Metadata name', ...signs };
  // A value that an S3 client wrote may be longer, and stays as it is.
  const maxLength = Math.max(VALUE_LENGTH_MAX, value.length);
  const text = { value, maxLength, placeholder: 'value', ariaLabel: 'Metadata value' };
  return entryRow(key || 'this entry', name, text);
}

/** @throws Error for a name that stands there twice */
function metaOf(rows: HTMLElement) {
  const meta = new Map<string, string>();
  for (const { key: name, value } of entriesIn(rows)) {
    const key = name.trim().toLowerCase();
    if (meta.has(key))
      throw new Error(`Duplicate entry “${key}”. Each name can be used only once.`);
    meta.set(key, value);
  }
  return Object.fromEntries(meta);
}
