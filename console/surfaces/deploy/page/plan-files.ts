import { el, shownText } from '../../../ui/dom.js';
import { badge, card, field, table } from '../../../ui/parts.js';
import { badgeColumn, nodeChoice, quietLine, scrolled } from './views.js';
import type { Plan } from './control.js';

type Diff = Plan['diffs'][number];
type Action = Plan['actions'][number];

/** Lines of one file that are shown; longer diffs say so. */
const LINES_MAX = 600;
const RISKS = { low: 'ok', medium: 'warn', high: 'crit' } as const;

/** The files that a plan changes, node by node. */
export function diffCard({ diffs, actions }: Plan) {
  const rings = actions.filter(
    ({ kind, target }) => kind === 'conf.render' && target.endsWith('.ring.gz'),
  );
  if (diffs.length === 0) {
    const text = rings.length === 0 ? 'No file changes.' : 'Only ring files change.';
    return card('Files', el('p', { textContent: text }));
  }
  const node = nodeChoice(diffs);
  const list = el('div', { className: 'deploy-diffs' });
  const draw = () => {
    const own = diffs.filter((diff) => diff.node === node.value);
    const ringCount = rings.filter((action) => action.node === node.value).length;
    const note = ringCount === 0 ? [] : [quietLine(`${ringCount} ring files also change.`)];
    list.replaceChildren(...own.map((diff, at) => fileDiff(diff, at === 0)), ...note);
  };
  node.onchange = draw;
  draw();
  return card('Files', el('div', { className: 'deploy-choose' }, field('Node', node)), list);
}

function fileDiff({ path, unified }: Diff, open: boolean) {
  const lines = unified === null ? [] : unified.trimEnd().split('\n');
  const body = lines.filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const added = body.filter((line) => line.startsWith('+')).length;
  const removed = body.filter((line) => line.startsWith('-')).length;
  const summary = el(
    'summary',
    {},
    el('code', { textContent: shownText(path) }),
    el('span', { className: 'deploy-added', textContent: `+${added}` }),
    el('span', { className: 'deploy-removed', textContent: `−${removed}` }),
  );
  const made = el('details', { className: 'deploy-diff', open }, summary);
  // A plan has hundreds of files: each is drawn when it is looked at.
  const fill = () => {
    if (made.open && made.childElementCount === 1) made.append(drawn(path, unified === null, body));
  };
  made.addEventListener('toggle', fill);
  fill();
  return made;
}

function drawn(path: string, isLeftOut: boolean, lines: readonly string[]) {
  if (isLeftOut) return quietLine('This diff was omitted because the plan is too large.');
  const shown = lines.slice(0, LINES_MAX).map((line) => {
    const kind = { '+': 'added', '-': 'removed', '@': 'hunk' }[line.charAt(0)] ?? 'same';
    return el('span', { className: `deploy-line ${kind}`, textContent: `${shownLine(line)}\n` });
  });
  const rest = lines.length - shown.length;
  const more = rest > 0 ? [`… ${rest} more lines`] : [];
  return scrolled(`Changes to ${path}`, ...shown, ...more);
}

/** A line as it is but for what cannot be seen; blanks at its ends are part of files. */
function shownLine(line: string) {
  return line
    .replaceAll(/\t/g, '    ')
    .replace(/^(.)(.*)$/su, (_all, sign: string, text: string) => {
      const [, before = '', middle = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
      return `${sign}${before}${middle === '' ? '' : shownText(middle)}${after}`;
    });
}

/** Everything that a plan does. */
export function actionCard({ actions, checks }: Plan) {
  const failed = checks.filter(({ state }) => state === 'failed');
  return card(
    'Actions',
    ...failed.map(({ program, target, message }) =>
      el(
        'div',
        { className: 'deploy-refused' },
        badge('refused', 'crit'),
        el('span', { textContent: shownText(`${program} rejected ${target}: ${message}`) }),
      ),
    ),
    quietLine(checkedText(checks)),
    table(
      'Plan actions',
      [
        { title: 'Action', value: (row) => row.kind },
        { title: 'Target', value: (row) => row.target },
        { title: 'Node', value: (row) => row.node ?? null },
        badgeColumn('Risk', 'risk', ({ risk }: Action) => [risk, RISKS[risk]]),
      ],
      actions,
      100,
    ),
  );
}

function checkedText(checks: Plan['checks']) {
  const by = (state: string) => checks.filter((one) => one.state === state).length;
  if (checks.length === 0) return "Nothing to check with Swift's tools.";
  if (by('ok') === 0 && by('failed') === 0) {
    return "Nothing was checked: Swift's tools are not installed on the deploy service's host.";
  }
  return by('skipped') === 0
    ? `Swift's tools accepted ${by('ok')} of ${checks.length} rings and configurations.`
    : `Swift's tools accepted ${by('ok')} of ${checks.length} rings and configurations; ${by('skipped')} were not checked.`;
}
