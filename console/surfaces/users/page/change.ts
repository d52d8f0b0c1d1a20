import { call, followJob } from '../../../ui/api.js';
import { copyField } from '../../../ui/copy.js';
import { $, ask, el } from '../../../ui/dom.js';
import type { ChangeResult, UsersPreview } from '../routes.js';
import type { UserChange } from '../user-change.js';

const STATES: Record<ChangeResult['nodes'][number]['state'], string> = {
  ok: '✓ changed',
  reverted: '↶ rolled back',
  untouched: '– unchanged',
  stuck: '✗ rollback incomplete, retried with the next change',
};

/**
 * Shows what a change would do, and does it when the user says so.
 *
 * @returns whether it was tried
 */
export async function carryOut(change: UserChange, title: string) {
  const { nodes, notes } = await call('POST', '/api/users/preview', change);
  const shown = [...nodes.map(previewOf), ...notes.map((text) => note(text))];
  const okText = nodes.length === 1 ? 'Apply' : 'Apply to all';
  const danger = change.action === 'remove';
  if ((await ask(title, shown, okText, undefined, { danger })) === null) return false;
  const base = Object.fromEntries(nodes.map(({ node, sha256 }) => [node, sha256]));
  const state = $('#state');
  state.textContent = 'Updating proxies…';
  const { job_id: id, key } = await call('POST', '/api/users/apply', { change, base });
  const job = await followJob(id, ({ done, total }) => {
    if (total !== null) state.textContent = `${done} of ${total} proxies changed…`;
  });
  const result = job.result as ChangeResult | undefined;
  await ask(result?.ok === true ? title : `${title}: failed`, outcomeOf(result, key));
  return true;
}

function previewOf({ node, diff }: UsersPreview['nodes'][number]) {
  const lines = diff.map(({ line, sign, text }) =>
    el('div', {
      className: sign === '+' ? 'added' : 'removed',
      textContent: `${sign} ${String(line).padStart(4)}  ${text}`,
    }),
  );
  return el('div', {}, el('strong', { textContent: node }), el('pre', {}, ...lines));
}

/**
 * @param result undefined where the change was cancelled
 * @param key the new one
 */
function outcomeOf(result: ChangeResult | undefined, key: string | undefined) {
  const nodes = result?.nodes ?? [];
  const rows = nodes.map(({ node, state, reason = '' }) =>
    el('li', { textContent: [`${node}: ${STATES[state]}`, reason].filter(Boolean).join('. ') }),
  );
  const list = el('ul', {}, ...rows);
  if (result?.ok !== true) return [note('Users are unchanged.'), list].slice(isStuck(nodes));
  if (key === undefined) return [list];
  return [copyField('Key (shown only once)', key, { id: 'new-key' }), list];
}

/** If a node is stuck, the state before was not restored. */
function isStuck(nodes: ChangeResult['nodes']) {
  return nodes.some(({ state }) => state === 'stuck') ? 1 : 0;
}

function note(textContent: string) {
  return el('p', { className: 'quiet', textContent });
}
