import { call, query } from '../../../../ui/api.js';
import { timeText } from '../../../../ui/clock.js';
import { ask, el } from '../../../../ui/dom.js';
import { lateSection } from '../late-section.js';
import { attempt, may, type ObjectPlace } from '../state.js';
import { runTask } from '../tasks.js';
import { factList, field, quiet } from './fields.js';
import { showTags, tagList, tagsOf } from './tags.js';
import type { S3Facts } from '../../s3/s3-facts.js';
import type { Tag } from '../../s3/tags.js';

const RESTORED_DAYS = 7;
/** Most objects have a class, a checksum and tags, with buttons below. */
const LINES = 5;

/** An object in S3: its storage class and the way out of cold storage, checksums, tags. */
export function objectPanel(place: ObjectPlace, refresh: () => Promise<void>) {
  const work = async () => {
    const asked = call('GET', `/api/files/s3/object?${query(place)}`);
    const [facts, tags] = await Promise.all([asked, tagsOf(place)]);
    return nodesOf(place, facts, tags, refresh);
  };
  return lateSection('Storage and tags', LINES, work, refresh);
}

function nodesOf(
  place: ObjectPlace,
  facts: S3Facts,
  tags: readonly Tag[],
  refresh: () => Promise<void>,
) {
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
  const checksums = Object.entries(facts.checksums).map(
    ([name, value]) => [name + kind, value] as const,
  );
  return [
    factList({ 'Storage class': classText(facts), ...Object.fromEntries(checksums) }),
    ...(checksums.length === 0 && !facts.cold
      ? [quiet('No checksum is stored with this object.')]
      : []),
    tagList(tags),
    buttons,
  ];
}

function classText({ storage_class: name, cold, restored_until: until }: S3Facts) {
  if (cold) return `${name}, in cold storage. Restore the object to read it.`;
  return until === null ? name : `${name}, restored until ${timeText(until)}`;
}

async function restoreFromCold(place: ObjectPlace, refresh: () => Promise<void>) {
  const days = field('Days', {
    ...{ name: 'days', type: 'number', min: '1', max: '36500', required: true },
    value: String(RESTORED_DAYS),
  });
  const text =
    'The object can be read for that number of days, then returns to cold storage. Restoring a large object takes longer.';
  const given = await ask('Restore from cold storage', [quiet(text), days.node], 'Restore');
  if (given === null) return;
  const title = `Restore “${place.name}” from cold storage`;
  const body = { ...place, days: Number(given.days) };
  await runTask(title, '/api/files/cold/restore', body, refresh);
}
