import { call, query } from '../../../../ui/api.js';
import { ask, el, shownText } from '../../../../ui/dom.js';
import { addEntry, entriesIn, entryRow, quiet } from './fields.js';
import type { Tag } from '../../s3/tags.js';

interface Tagged {
  container: string;
  name?: string;
  version_id?: string;
}

const OBJECT_TAGS_MAX = 10;
const BUCKET_TAGS_MAX = 50;
/** The characters that S3 takes in keys and values. */
const SIGNS = String.raw`[\p{L}\p{Z}\p{N}_.:\/=+\-@]*`;
const SIGNS_TEXT = 'Letters, digits, spaces and _ . : / = + - @';

/** @param place without a name: the bucket */
export async function tagsOf(place: Tagged): Promise<readonly Tag[]> {
  const { tags } = await call('GET', `/api/files/tags?${query(place)}`);
  return tags;
}

export function tagList(tags: readonly Tag[]) {
  if (tags.length === 0) return quiet('No tags.');
  const items = tags.map(({ key, value }) =>
    el('li', {
      className: 'badge',
      textContent: shownText(value === '' ? key : `${key}: ${value}`),
    }),
  );
  return el('ul', { className: 'tags' }, ...items);
}

/**
 * Shows the tags of a bucket or an object in a dialog that changes them.
 *
 * @returns whether they were changed
 */
export async function showTags(place: Tagged, mayChange: boolean) {
  const tags = await tagsOf(place);
  const title = place.name === undefined ? 'Bucket tags' : `Tags for ${place.name}`;
  if (!mayChange) {
    await ask(title, [tagList(tags)]);
    return false;
  }
  const most = place.name === undefined ? BUCKET_TAGS_MAX : OBJECT_TAGS_MAX;
  const rows = el('div', { className: 'meta' }, ...tags.map(rowOf));
  const add = el('button', { type: 'button', textContent: 'Add tag' });
  const mark = () => {
    add.disabled = rows.childElementCount >= most;
  };
  add.onclick = () => {
    addEntry(rows, rowOf({ key: '', value: '' }));
    mark();
  };
  rows.addEventListener('click', () => {
    mark();
    // The button that removed a tag has gone with it.
    if (document.activeElement?.closest('.meta') !== rows) add.focus();
  });
  mark();
  const text = `Up to ${most} tags. Lifecycle rules can filter objects by tag.`;
  const save = () => call('PUT', '/api/files/tags', { ...place, tags: entriesIn(rows), was: tags });
  let isChanged = false;
  const again = async () => {
    isChanged = await showTags(place, mayChange);
  };
  const given = await ask(title, [quiet(text), rows, add], 'Save', save, { again });
  return given !== null || isChanged;
}

function rowOf({ key, value }: Tag) {
  const signs = { pattern: SIGNS, title: SIGNS_TEXT };
  const name = { value: key, maxLength: 128, placeholder: 'key', ariaLabel: 'Tag key' };
  const text = { value, maxLength: 256, placeholder: 'value', ariaLabel: 'Tag value' };
  return entryRow(key || 'this tag', { ...name, ...signs }, { ...text, ...signs });
}
