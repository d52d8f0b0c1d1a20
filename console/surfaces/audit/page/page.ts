import { timeAt } from '../../../ui/clock.js';
import { call, query } from '../../../ui/api.js';
import { saveCsv, saveJson } from '../../../ui/charts/export.js';
import { $, el, shownText } from '../../../ui/dom.js';
import { badge } from '../../../ui/parts.js';
import { fail } from '../../../ui/shell.js';
import { withSkeletonRows } from '../../../ui/skeleton.js';
import type { AuditRecord } from '../../../../src/lib/audit/audit-log.js';

const PAGE = 200;
const MOST = 1000;
/** The most that is held to be saved at once. */
const EXPORT_MAX = 100_000;
/** The columns of a saved file. */
const COLUMNS: readonly (readonly [string, (one: AuditRecord) => string])[] = [
  ['time', ({ unix_s: at }) => new Date(at * 1000).toISOString()],
  ['user', ({ actor }) => actor],
  ['role', ({ role }) => role],
  ['ip', ({ ip }) => ip],
  ['action', ({ action }) => action],
  ['account', ({ account = '' }) => account],
  ['target', ({ target }) => target],
  ['result', ({ result }) => result],
  ['request_id', ({ request_id: id }) => id],
  ['details', ({ details }) => (details === undefined ? '' : JSON.stringify(details))],
];
const ACTIONS = [
  'login',
  'logout',
  'files.',
  'files.container_',
  'files.delete',
  'files.purge',
  'files.trash',
  'files.overwrite',
  'files.move',
  'files.expiry',
  'files.acl',
  'files.tempurl',
  'files.presigned_url',
  'keys.',
  'users.',
  'audit.drop',
];
const RESULTS: Readonly<Record<AuditRecord['result'], Parameters<typeof badge>>> = {
  ok: ['ok', 'ok'],
  begun: ['started', 'info'],
  partial: ['partial', 'warn'],
  denied: ['denied', 'warn'],
  failed: ['failed', 'crit'],
};

const PROBLEMS = {
  unreadable: 'is not a valid record.',
  altered: 'does not match the line before it. A record was changed or removed.',
  beginning_missing: 'follows a record that is missing.',
  end_missing: 'is not the last record written. The end of the log is missing.',
  added: 'is after the last record written. Another program has added it.',
};

let limit = PAGE;

/** Runs what a button does; what goes wrong is shown. */
function attempt(work: () => Promise<void>) {
  $('#banner').hidden = true;
  work().catch(fail);
}

function unixS(localTime: FormDataEntryValue | undefined = '') {
  return typeof localTime !== 'string' || localTime === ''
    ? ''
    : String(Math.floor(new Date(localTime).getTime() / 1000));
}

const load = () => withSkeletonRows($('#rows'), { columns: 9, rows: 8 }, read);

/** The filter of the form, as the console takes it. */
function filter() {
  const { from, to, ...given } = Object.fromEntries(new FormData($('#filter')));
  return { ...given, from_unix_s: unixS(from), to_unix_s: unixS(to) };
}

async function read() {
  const asked = query({ ...filter(), limit: String(limit) });
  const { items, truncated, foreign_bytes: foreign } = await call('GET', `/api/audit?${asked}`);
  $('#rows').replaceChildren(...items.map(rowOf));
  const some = truncated
    ? `Showing the latest ${items.length} records. More match: narrow the filter.`
    : `${items.length} ${items.length === 1 ? 'record' : 'records'}.`;
  const found = items.length === 0 ? 'No matching records.' : some;
  const added = `Another program has added ${foreign} bytes to the log, which are not shown. Verify the log.`;
  $('#state').textContent = foreign === 0 ? found : `${found} ${added}`;
  $('#more').hidden = !truncated || limit >= MOST;
}

function rowOf(one: AuditRecord) {
  const cell = (text: string, className = '') =>
    el('td', { textContent: shownText(text), className });
  return el(
    'tr',
    {},
    el('td', { className: 'time', title: timeAt(one.unix_s, 'zoned') }, timeAt(one.unix_s, 'full')),
    cell(one.actor, 'text'),
    cell(one.role),
    cell(one.ip),
    cell(one.action),
    cell(one.account ?? '', 'text'),
    cell(one.target, 'text target'),
    el('td', {}, badge(...RESULTS[one.result])),
    cell(detailsText(one.details ?? {}), 'text quiet'),
  );
}

/** @param details by name */
function detailsText(details: NonNullable<AuditRecord['details']>) {
  return Object.entries(details)
    .map(([name, value]) => {
      const isTime = name.endsWith('_unix_s') && typeof value === 'number';
      const text = isTime ? timeAt(value, 'full') : [value ?? 'none'].flat();
      const shown = [text].flat().join(', ') || 'none';
      return `${name.replace(/_unix_s$/, '').replaceAll('_', ' ')}: ${shown}`;
    })
    .join(' · ');
}

async function verify() {
  const box = $('#verdict');
  box.hidden = false;
  box.removeAttribute('data-state');
  box.textContent = 'Verifying the audit log…';
  const verdict = await call('GET', '/api/audit/verify').catch((error: unknown) => {
    box.hidden = true;
    throw error;
  });
  const { problem, records, files, head_sha256: head } = verdict;
  box.dataset.state = problem === undefined ? 'ok' : 'crit';
  box.textContent =
    problem === undefined
      ? `✓ Verified: ${records} records in ${files === 1 ? 'a file' : `${files} files`}, up to the last one written. Latest digest: ${head}. Keep it elsewhere to prove later that no earlier record was changed.`
      : `✗ Line ${problem.line} of ${problem.file} ${PROBLEMS[problem.kind]}`;
}

/** Saves all records that match as a file; the console gives a thousand at a time. */
async function exportAs(save: typeof saveCsv) {
  const asked = filter();
  const found = new Map<string, AuditRecord>();
  const state = $('#state');
  for (;;) {
    const before = found.size;
    const answer = await call('GET', `/api/audit?${query({ ...asked, limit: String(MOST) })}`);
    // Records of one second may come twice.
    for (const one of answer.items) found.set(one.prev_sha256, one);
    state.textContent = `Reading the log: ${found.size} records…`;
    if (!answer.truncated || found.size === before || found.size >= EXPORT_MAX) break;
    asked.to_unix_s = String(answer.items.at(-1)?.unix_s ?? 0);
  }
  const rows = [...found.values()].map((one) => COLUMNS.map(([, of]) => of(one)));
  save('audit', { head: COLUMNS.map(([title]) => title), rows });
  const all = found.size < EXPORT_MAX ? '' : ' More match: narrow the filter.';
  state.textContent = `Saved ${found.size} records.${all}`;
}

/** Shows the latest records; the form asks for others. */
export async function mount() {
  $('#actions').append(...ACTIONS.map((value) => el('option', { value })));
  $('#filter').addEventListener('submit', (event) => {
    event.preventDefault();
    limit = PAGE;
    attempt(load);
  });
  // A form empties its fields after this event.
  $('#filter').addEventListener('reset', () => {
    limit = PAGE;
    setTimeout(() => attempt(load));
  });
  $('#more').addEventListener('click', () => {
    limit = MOST;
    attempt(load);
  });
  $('#verify').addEventListener('click', () => attempt(verify));
  $('#csv').addEventListener('click', () => attempt(() => exportAs(saveCsv)));
  $('#json').addEventListener('click', () => attempt(() => exportAs(saveJson)));
  await load();
}
