import { call, query } from '../../../ui/api.js';
import { timeText } from '../../../ui/clock.js';
import {
  ask,
  bytesText,
  confirmed,
  el,
  exactBytesText,
  scrollRegion,
  shownText,
} from '../../../ui/dom.js';
import { lateSection } from './late-section.js';
import { load } from './listing.js';
import { askTyped } from '../../../ui/typed-name.js';
import { quiet } from './s3/fields.js';
import { askToDelete, showLocks } from './s3/version-lock.js';
import { attempt, may, view, type ObjectPlace } from './state.js';
import { runTask } from './tasks.js';
import type { S3ObjectView, S3VersionView } from '../s3/s3-objects.js';
import type { ObjectVersion as Version } from '../versions.js';

/** An object, what can be done with its versions, and which of them are chosen to be compared. */
interface Place extends ObjectPlace {
  isS3: boolean;
  isLockable: boolean;
  refresh: () => Promise<void>;
  compared: Set<string>;
}

/** Two versions have as many, with their buttons. */
const LINES = 5;
const NONE: Readonly<Record<string, string>> = {
  none: 'Versioning is not enabled for this bucket.',
  gateway:
    'S3 manages the versions of this bucket, and the console cannot access S3 on your behalf. Use an S3 client to list and restore versions.',
};

/** The states that an object had, newest first, where the store or S3 keeps them. */
export function versionList(container: string, name: string, refresh: () => Promise<void>) {
  const kind = view.details?.versioning ?? 'none';
  const isS3 = view.details?.s3 === true;
  const none = NONE[kind];
  if (!isS3 && none !== undefined) {
    return el('section', {}, el('h3', { textContent: 'Versions' }), quiet(none));
  }
  // Locks are for those who may configure the bucket.
  const asksLock = isS3 && view.details?.s3_bucket === true;
  const work = async () => {
    const [{ active, items, truncated }, lock] = await Promise.all([
      call('GET', `/api/files/versions?${query({ container, name })}`),
      asksLock ? call('GET', `/api/files/lock?${query({ name: container })}`) : null,
    ]);
    const notes = [];
    if (!active) notes.push('Versioning is suspended. No new versions are kept.');
    if (items.length === 0) notes.push('No versions.');
    const isLockable = lock?.enabled === true;
    const place: Place = { container, name, isS3, isLockable, refresh, compared: new Set() };
    const compare = el('button', { textContent: 'Compare', disabled: true });
    const all = [...items];
    compare.onclick = () => attempt(() => showComparison(place, all));
    const list = el('ol', { className: 'versions' });
    list.append(...items.map((one) => versionOf(place, one, compare)));
    const older = el('button', { textContent: 'Show older versions', hidden: !truncated });
    older.onclick = () =>
      attempt(async () => {
        older.disabled = true;
        try {
          const after = all.at(-1)?.id ?? '';
          const asked = query({ container, name, after });
          const more = await call('GET', `/api/files/versions?${asked}`);
          const lines = more.items.map((one) => versionOf(place, one, compare));
          all.push(...more.items);
          list.append(...lines);
          older.hidden = !more.truncated;
          // The keyboard goes on where the list does.
          lines[0]?.querySelector('button')?.focus();
        } finally {
          older.disabled = false;
        }
      });
    return [
      list,
      older,
      ...notes.map(quiet),
      ...(isS3 && items.length > 0 ? [wholeActions(place, items, compare)] : []),
    ];
  };
  return lateSection('Versions', LINES, work, refresh);
}

/** Actions on several versions, or all of them. */
function wholeActions(place: Place, items: readonly Version[], compare: HTMLButtonElement) {
  const row = el('div', { className: 'row' });
  if (items.filter(({ deleted }) => !deleted).length > 1) row.append(compare);
  if (may('admin')) {
    const all = el('button', { textContent: 'Delete all versions', className: 'danger' });
    all.onclick = () => attempt(() => purgeAll(place));
    row.append(all);
  }
  return row;
}

/** @param compare the button that is for two chosen versions */
function versionOf(place: Place, version: Version, compare: HTMLButtonElement) {
  const { container, name, isS3, isLockable, refresh } = place;
  const { id, is_latest: isLatest, deleted, bytes, last_modified: time } = version;
  const when = timeText(time);
  const what = deleted ? 'deleted' : bytesText(bytes);
  const buttons: HTMLButtonElement[] = [];
  const button = (text: string, work: () => unknown, className = '') => {
    const one = el('button', { textContent: text, className, onclick: () => attempt(work) });
    one.setAttribute('aria-label', `${text}: version from ${when}`);
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
      const text = `A copy of the version from ${when} becomes the current version. The version that is current now is kept.`;
      if (isS3 && !(await confirmed('Restore version', text, 'Restore'))) return;
      await call('POST', '/api/files/versions/restore', body);
      await Promise.all([load(), refresh()]);
    });
  }
  if (isLockable && !deleted) {
    button('Lock', async () => {
      if (await showLocks(body, when)) await refresh();
    });
  }
  if (isStored && may('admin')) {
    const remove = async () => {
      const confirmation = await askBefore(place, version, when);
      if (confirmation === null) return;
      await call('POST', '/api/files/versions/delete', { ...body, ...confirmation });
      await Promise.all([load(), refresh()]);
    };
    button('Delete', remove, 'danger');
  }
  const badges = [];
  if (isLatest) badges.push(isS3 ? 'current' : 'latest');
  if (isS3 && deleted) badges.push('delete marker');
  const text = el('span', { textContent: isS3 && deleted ? `${when} ` : `${when}, ${what} ` });
  const pick = isS3 && !deleted ? [picker(place, version, when, compare)] : [];
  return el(
    'li',
    {},
    ...pick,
    text,
    ...badges.map((one) => el('span', { className: 'badge', textContent: one })),
    el('div', { className: 'row' }, ...buttons),
  );
}

/** A box that chooses a version to be compared: two at a time. */
function picker({ compared }: Place, { id }: Version, when: string, compare: HTMLButtonElement) {
  const box = el('input', { type: 'checkbox' });
  box.setAttribute('aria-label', `Compare version from ${when}`);
  box.onchange = () => {
    if (box.checked) compared.add(id);
    else compared.delete(id);
    compare.disabled = compared.size !== 2;
  };
  return box;
}

/**
 * Asks before one version goes; in a bucket of S3 the name has to be typed.
 *
 * @returns what the request says besides, or null where it is not meant
 */
async function askBefore(
  { container, name, isS3 }: Place,
  { id, deleted, is_latest: isLatest }: Version,
  when: string,
) {
  if (!isS3) {
    const text = `The version from ${when} will be permanently deleted.`;
    return (await confirmed('Delete version', text, 'Delete permanently', { danger: true }))
      ? {}
      : null;
  }
  if (deleted) {
    const text = isLatest
      ? `The delete marker from ${when} will be removed. The previous version becomes current.`
      : `The delete marker from ${when} will be removed.`;
    const isMeant = await confirmed('Remove delete marker', text, 'Remove', { danger: true });
    return isMeant ? { confirm_name: name } : null;
  }
  const text = isLatest
    ? `The current version, from ${when}, will be permanently deleted. The previous version becomes current.`
    : `The version from ${when} will be permanently deleted.`;
  return askToDelete({ container, name, version_id: id }, text);
}

async function purgeAll({ container, name, refresh }: Place) {
  const text =
    'All versions and delete markers of this object will be permanently deleted. Versions protected by Object Lock are kept.';
  const nodes = [el('p', { textContent: text })];
  if ((await askTyped('Delete all versions', nodes, name)) === null) return;
  const body = { container, names: [name], mode: 'purge', confirm_name: name };
  await runTask(`Delete all versions of “${name}”`, '/api/files/delete', body);
  await refresh();
}

/** Two versions side by side; what differs is said in words as well. */
async function showComparison({ container, name, compared }: Place, items: readonly Version[]) {
  const chosen = items.filter(({ id }) => compared.has(id));
  const [newer = {}, older = {}] = await Promise.all(
    chosen.map(async ({ id }) => {
      const place = query({ container, name, version_id: id });
      return factsOf(await call('GET', `/api/files/versions/properties?${place}`));
    }),
  );
  const rows = [...new Set([...Object.keys(newer), ...Object.keys(older)])].map((key) => {
    const [a = '', b = ''] = [newer[key], older[key]];
    const cells = [a, b].map((text) => el('td', { textContent: shownText(text) || '–' }));
    const isSame = a === b;
    const words = el('span', { className: 'words', textContent: isSame ? 'same' : 'different' });
    const name = el('th', { scope: 'row', textContent: key });
    return el('tr', { className: isSame ? '' : 'differs' }, name, ...cells, el('td', {}, words));
  });
  const heads = ['Property', 'Newer', 'Older', 'Difference'].map((text) =>
    el('th', { scope: 'col' }, el('span', { className: 'words', textContent: text })),
  );
  const table = el(
    'table',
    { className: 'compared' },
    el('thead', {}, el('tr', {}, ...heads)),
    el('tbody', {}, ...rows),
  );
  await ask(`Compare versions of ${name}`, [scrollRegion('Comparison', table)]);
}

function factsOf({
  bytes,
  etag,
  content_type: type,
  last_modified: time,
  meta,
  headers,
  s3,
}: S3ObjectView): Record<string, string> {
  const own = Object.entries(meta).map(([key, value]) => [`Metadata: ${key}`, value] as const);
  return {
    Changed: timeText(time),
    Size: exactBytesText(bytes),
    ETag: etag,
    Type: type,
    ...headers,
    ...s3Facts(s3),
    ...Object.fromEntries(own),
  };
}

/** Further facts of a version in S3. */
export function s3Facts({
  version_id: id,
  storage_class: storageClass,
  restore,
  lock_mode: mode,
  retain_until: until,
  legal_hold: isHeld,
  tags,
}: S3VersionView) {
  return {
    Version: id,
    'Storage class': storageClass,
    ...(restore === null ? {} : { 'Restore from cold storage': restore }),
    Retention: mode === null ? 'none' : `${mode.toLowerCase()} until ${timeText(until ?? '')}`,
    'Legal hold': isHeld ? 'on' : 'off',
    Tags: String(tags),
  };
}
