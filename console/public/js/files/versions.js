import { call, query } from '../api.js';
import { bytesText, confirmed, el, timeText } from '../dom.js';
import { load } from './listing.js';
import { attempt, may, view } from './state.js';

const NONE = {
  none: 'The store keeps no versions of this container.',
  gateway:
    'The S3 gateway keeps the versions of this bucket: an S3 client lists and restores them.',
};

/** The states that an object had, newest first, where the store keeps them. */
export function versionList(container, name, refresh) {
  const section = el('section', {}, el('h3', { textContent: 'Versions' }));
  const kind = view.details?.versioning ?? 'none';
  if (NONE[kind] !== undefined) {
    section.append(el('p', { className: 'quiet', textContent: NONE[kind] }));
    return section;
  }
  const body = el('div', {}, el('p', { className: 'quiet', textContent: 'Loading…' }));
  section.append(body);
  call('GET', `/api/files/versions?${query({ container, name })}`)
    .then(({ active, items, truncated }) => {
      const notes = [];
      if (!active) notes.push('No new versions are kept: versioning is suspended.');
      if (items.length === 0) notes.push('There are none.');
      if (truncated) notes.push('There are more, older ones.');
      body.replaceChildren(
        el(
          'ol',
          { className: 'versions' },
          ...items.map((one) => versionOf(container, name, one, refresh)),
        ),
        ...notes.map((text) => el('p', { className: 'quiet', textContent: text })),
      );
    })
    .catch((error) => {
      const again = el('button', { textContent: 'Try again', onclick: refresh });
      body.replaceChildren(el('p', { className: 'error', textContent: error.message }), again);
    });
  return section;
}

function versionOf(container, name, version, refresh) {
  const { id, is_latest: isLatest, deleted, bytes, last_modified: time } = version;
  const when = timeText(time);
  const what = deleted ? 'deleted' : bytesText(bytes);
  const buttons = [];
  const button = (text, work, className = '') => {
    const one = el('button', { textContent: text, className, onclick: () => attempt(work) });
    one.setAttribute('aria-label', `${text}: version of ${when}`);
    buttons.push(one);
  };
  const isStored = id !== 'current';
  if (isStored && !deleted) {
    button('Download', () => {
      const path = `/api/files/versions/body?${query({ container, name, version_id: id })}`;
      el('a', { href: path, download: '' }).click();
    });
  }
  const body = { container, name, version_id: id };
  if (isStored && !isLatest && !deleted && may('member')) {
    button('Restore', async () => {
      await call('POST', '/api/files/versions/restore', body);
      await Promise.all([load(), refresh()]);
    });
  }
  if (isStored && may('admin')) {
    button(
      'Delete',
      async () => {
        const text = `The version of ${when} will be gone for good.`;
        if (!(await confirmed('Delete a version', text, 'Delete'))) return;
        await call('POST', '/api/files/versions/delete', body);
        await Promise.all([load(), refresh()]);
      },
      'danger',
    );
  }
  const badge = isLatest ? [el('span', { className: 'badge', textContent: 'latest' })] : [];
  return el(
    'li',
    {},
    el('span', { textContent: `${when}, ${what} ` }),
    ...badge,
    el('div', { className: 'row' }, ...buttons),
  );
}
