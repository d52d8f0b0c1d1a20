import { timeText } from '../../../../ui/clock.js';
import { ask, bytesText, el, shownText } from '../../../../ui/dom.js';
import { runPreview } from '../../../../ui/run-task.js';
import { folder } from '../state.js';
import { runTask } from '../tasks.js';
import { askTyped } from '../../../../ui/typed-name.js';
import { factList, field, localTime, quiet, scrolledTable } from './fields.js';
import type { RewindPlan } from '../../s3/rewind.js';

type Preview = Omit<RewindPlan, 'id'> & { plan_id: string };

const DAY_MS = 86_400_000;

/**
 * Takes what is below a folder back to what it was at a time: shows first what that would change.
 */
export async function showRewind(container: string) {
  const at = field('Rewind to', {
    ...{ type: 'datetime-local', required: true, step: '1' },
    value: `${localTime(Date.now() - DAY_MS)}:00`,
  });
  const prefix = field('Prefix (leave empty for all objects)', { value: folder() });
  const about =
    'Returns objects to their state at that time. Older versions are restored as new current versions, and objects added since then get a delete marker. All versions are kept, so you can undo a rewind with another one. A preview is shown first.';
  if ((await ask('Rewind', [quiet(about), at.node, prefix.node], 'Preview')) === null) return;
  const atMs = new Date(at.input.value).getTime();
  const body = { container, prefix: prefix.input.value, at_unix_ms: atMs };
  const title = `Preview rewind of ${container} to ${timeText(new Date(atMs).toISOString())}`;
  const found = await runPreview(title, '/api/files/rewind/preview', body);
  if (found !== null) await confirmRewind(container, found as Preview);
}

async function confirmRewind(container: string, plan: Preview) {
  const { restores, deletes, unchanged, bytes, steps } = plan;
  const when = timeText(new Date(plan.at_unix_ms).toISOString());
  const title = `Rewind to ${when}`;
  const facts = factList({
    Below: plan.prefix === '' ? `entire bucket ${container}` : plan.prefix,
    'To restore': `${restores.toLocaleString()} (${bytesText(bytes)})`,
    'To delete': `${deletes.toLocaleString()}, by adding delete markers`,
    Unchanged: unchanged.toLocaleString(),
  });
  if (restores + deletes === 0) {
    await ask(title, [facts, quiet('Nothing has changed since that time.')]);
    return;
  }
  const rows = steps.map(({ name, action, bytes: size }) =>
    el(
      'tr',
      {},
      el('td', { textContent: shownText(name), className: 'long' }),
      el('td', { textContent: action === 'restore' ? 'restore' : 'delete' }),
      el('td', { textContent: action === 'restore' ? bytesText(size) : '' }),
    ),
  );
  const table = scrolledTable('Changes', ['Name', 'Change', 'Size'], rows);
  const left = restores + deletes - steps.length;
  const more = left === 0 ? [] : [quiet(`And ${left.toLocaleString()} more.`)];
  const note = quiet('Objects that change after this preview are skipped and reported.');
  const nodes = [facts, table.node, ...more, note];
  if ((await askTyped(title, nodes, container, { okText: 'Rewind', danger: false })) === null)
    return;
  const body = { container, plan_id: plan.plan_id, confirm_name: container };
  await runTask(`Rewind ${container} to ${when}`, '/api/files/rewind', body);
}
