import { ApiFailure, call } from '../../../ui/api.js';
import { copyField } from '../../../ui/copy.js';
import { $, ask, el } from '../../../ui/dom.js';
import { isRunOver } from '../../../ui/run-page.js';
import type { NodeState } from '../change-run.js';
import type { ChangeView, UsersPreview } from '../routes.js';
import type { UserChange } from '../user-change.js';

/** Pause between two questions for a change under way. */
const PAUSE_MS = 300;

const STATES: Record<NodeState, string> = {
  ok: '✓ changed',
  begun: '… not finished',
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
  const { run_id: id, key } = await call('POST', '/api/users/apply', { change, base });
  const ended = await follow(id, ({ done, total }) => {
    state.textContent = `${done} of ${total} proxies changed…`;
  });
  const isDone = ended.state === 'done';
  await ask(isDone ? title : `${title}: failed`, outcomeOf(ended, key));
  return true;
}

/** Waits until a change is over, or stuck. Its news are for operators: others have to ask. */
async function follow(
  id: string,
  onProgress: (progress: NonNullable<ChangeView['progress']>) => void,
) {
  for (;;) {
    // The change goes on while there is no answer, and the key is known here alone.
    const change = await call('GET', `/api/users/changes/${id}`, undefined, true).catch(unlessAway);
    if (change !== undefined) {
      if (isRunOver(change) || change.state === 'stuck') return change;
      if (change.progress !== null) onProgress(change.progress);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function unlessAway(error: unknown): undefined {
  if (error instanceof ApiFailure && (error.status === 0 || error.status >= 500)) return undefined;
  throw error;
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

/** @param key the new one */
function outcomeOf({ state, nodes }: ChangeView, key: string | undefined) {
  const rows = nodes.map((one) => {
    const { node, reason = '' } = one;
    return el('li', {
      textContent: [`${node}: ${STATES[one.state]}`, reason].filter(Boolean).join('. '),
    });
  });
  const list = el('ul', {}, ...rows);
  if (state === 'stuck') return [list];
  if (state !== 'done') return [note('Users are unchanged.'), list];
  if (key === undefined) return [list];
  return [copyField('Key (shown only once)', key, { id: 'new-key' }), list];
}

function note(textContent: string) {
  return el('p', { className: 'quiet', textContent });
}
