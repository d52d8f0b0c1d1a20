import { call, query } from '../../../js/api.js';
import { ask, el, timeText } from '../../../js/dom.js';
import { lateSection } from '../late-section.js';
import { attempt, may } from '../state.js';
import { runTask } from '../tasks.js';
import { factList, field, quiet } from './fields.js';
import { showTags, tagList, tagsOf } from './tags.js';

/** @typedef {import('../../../../surfaces/files/s3/s3-facts.js').S3Facts} S3Facts */

const RESTORED_DAYS = 7;
/** Most objects have a class, a checksum and tags, with buttons below. */
const LINES = 5;

/**
 * What S3 knows of an object: its storage class and the way out of cold storage, checksums, tags.
 *
 * @param {{ container: string, name: string }} place
 * @param {() => Promise<void>} refresh
 */
export function objectPanel(place, refresh) {
  const work = async () => {
    const asked = call('GET', `/api/files/s3/object?${query(place)}`);
    const [facts, tags] = await Promise.all([asked, tagsOf(place)]);
    return nodesOf(place, facts, tags, refresh);
  };
  return lateSection('Storage and tags', LINES, work, refresh);
}

/**
 * @param {{ container: string, name: string }} place
 * @param {S3Facts} facts
 * @param {readonly import('./tags.js').Tag[]} tags
 * @param {() => Promise<void>} refresh
 */
function nodesOf(place, facts, tags, refresh) {
  const buttons = el('div', { className: 'row' });
  if (may('member')) {
    const edit = el('button', { textContent: 'Edit tags' });
    edit.onclick = () =>
      attempt(async () => {
        if (await showTags(place, true)) await refresh();
      });
    buttons.append(edit);
  }
  if (may('member') && (facts.cold || facts.restored_until !== null)) {
    const text = facts.cold ? 'Restore from cold storage' : 'Change restore period';
    const restore = el('button', { textContent: text });
    restore.onclick = () => attempt(() => restoreFromCold(place, refresh));
    buttons.append(restore);
  }
  const kind = facts.checksum_type === 'COMPOSITE' ? ' (composite)' : '';
  const checksums = Object.entries(facts.checksums).map(([name, value]) => [name + kind, value]);
  return [
    factList({ 'Storage class': classText(facts), ...Object.fromEntries(checksums) }),
    ...(checksums.length === 0 && !facts.cold
      ? [quiet('No checksum is stored with this object.')]
      : []),
    tagList(tags),
    buttons,
  ];
}

/** @param {S3Facts} facts */
function classText({ storage_class: name, cold, restored_until: until }) {
  if (cold) return `${name}, in cold storage. Restore the object to read it.`;
  return until === null ? name : `${name}, restored until ${timeText(until)}`;
}

/**
 * @param {{ container: string, name: string }} place
 * @param {() => Promise<void>} refresh
 */
async function restoreFromCold(place, refresh) {
  const days = field('Days', {
    ...{ name: 'days', type: 'number', min: '1', max: '36500', required: true },
    value: String(RESTORED_DAYS),
  });
  const text =
    'The object can be read for that number of days, then returns to cold storage. Restoring a large object takes longer.';
  const given = await ask('Restore from cold storage', [quiet(text), days.node], 'Restore');
  if (given === null) return;
  const body = { ...place, days: Number(given.days) };
  await runTask(
    `Restore “${place.name}” from cold storage`,
    '/api/files/cold/restore',
    body,
    refresh,
  );
}
