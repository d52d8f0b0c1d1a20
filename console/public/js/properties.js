import { call, query } from './api.js';
import { ask, bytesText, el } from './dom.js';

const PREVIEWED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What is known of an object, with its metadata to edit where that is allowed. */
export async function showProperties(container, name, mayWrite) {
  const info = await call('GET', `/api/files/object?${query({ container, name })}`);
  const facts = {
    Name: name,
    Kind: info.type,
    Size: bytesText(info.bytes),
    Type: info.content_type,
    ETag: info.etag,
    Changed: info.last_modified,
    Expires:
      info.delete_at_unix_s === null
        ? 'never'
        : new Date(info.delete_at_unix_s * 1000).toLocaleString(),
  };
  const list = el('dl');
  for (const [term, text] of Object.entries(facts)) {
    list.append(
      el('dt', { textContent: term, className: 'quiet' }),
      el('dd', { textContent: text }),
    );
  }
  const nodes = [list];
  if (PREVIEWED.has(info.content_type)) {
    const src = `/api/files/object/body?${query({ container, name, disposition: 'inline' })}`;
    nodes.push(el('img', { src, alt: `Preview of ${name}`, width: 300 }));
  }
  const text = Object.entries(info.meta)
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n');
  const area = el('textarea', {
    name: 'meta',
    rows: 5,
    cols: 40,
    value: text,
    readOnly: !mayWrite,
  });
  nodes.push(el('label', {}, 'Metadata, one “name: value” a line', el('br'), area));
  const given = await ask('Properties', nodes, mayWrite ? 'Save' : undefined);
  if (given === null) return;
  const meta = Object.fromEntries(
    given.meta
      .split('\n')
      .filter((line) => line.includes(':'))
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );
  await call('PATCH', '/api/files/object', { container, name, meta });
}

/** A URL that opens the object for a while. */
export async function showTempUrl(container, name) {
  const hours = el('input', {
    name: 'hours',
    type: 'number',
    min: '1',
    max: '8760',
    value: '1',
    required: true,
  });
  const given = await ask('Share', [el('label', {}, 'Valid for hours', hours)], 'Make a URL');
  if (given === null) return;
  const made = await call('POST', '/api/files/tempurl', {
    container,
    name,
    expires_in_s: Number(given.hours) * 3600,
  });
  const url = made.url ?? made.url_path;
  const field = el('input', { readOnly: true, value: url });
  field.setAttribute('aria-label', 'URL');
  const copy = el('button', {
    type: 'button',
    textContent: 'Copy',
    onclick: () => {
      field.select();
      void navigator.clipboard?.writeText(url);
    },
  });
  await ask('Share', [
    field,
    copy,
    el('p', {
      className: 'quiet',
      textContent: `Valid until ${new Date(made.expires_unix_s * 1000).toLocaleString()}`,
    }),
  ]);
}
