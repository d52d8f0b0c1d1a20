import { copyText } from '../../../ui/copy.js';
import { el, shownText } from '../../../ui/dom.js';
import { badge, card } from '../../../ui/parts.js';
import { wayButton } from './control.js';
import type { Run } from './control.js';

/** How states of runs and steps look. */
export const LOOKS: Record<string, 'ok' | 'warn' | 'crit' | 'info' | ''> = {
  pending: '',
  running: 'info',
  succeeded: 'ok',
  failed: 'crit',
  staged: 'warn',
  cancelled: 'warn',
  partial: 'crit',
};

/** States of a run of which something may be left. */
const UNFINISHED = ['partial', 'failed', 'cancelled'];
const DONE = ['succeeded', 'staged'];

/** A run that has ended with something left to do can be retried. */
export function canRetry({ state, steps }: Run) {
  return UNFINISHED.includes(state) && steps.some((step) => !DONE.includes(step.state));
}

/**
 * How far each node is.
 *
 * @param onRetry called when the files of a node are to be installed
 */
export function nodeCards(run: Run, onRetry: (node: string) => unknown) {
  const { steps } = run;
  const nodes = [...new Set(steps.map(({ node }) => node))];
  return nodes.map((node) => {
    const own = steps.filter((step) => step.node === node);
    const worst =
      ['failed', 'running', 'cancelled', 'pending', 'staged'].find((state) =>
        own.some((step) => step.state === state),
      ) ?? 'succeeded';
    const message = own.find(({ state }) => state === worst)?.message ?? '';
    const isLeft = canRetry(run) && own.some(({ state }) => !DONE.includes(state));
    const retry = wayButton({ text: 'Retry', work: () => onRetry(node) });
    retry.setAttribute('aria-label', `Retry ${shownText(node)}`);
    const made = el(
      'div',
      { className: 'deploy-node-state' },
      el('strong', { textContent: shownText(node) }),
      badge(worst, LOOKS[worst] ?? ''),
      el('span', { className: 'quiet', textContent: shownText(message) }),
      ...(isLeft ? [retry] : []),
    );
    made.dataset.state = worst;
    return made;
  });
}

/** The steps that the service does not do itself. */
export function staged({ steps }: Run) {
  const left = steps.filter(({ state, commands }) => state === 'staged' && commands.length > 0);
  if (left.length === 0) return [];
  return [
    card(
      'Commands to run manually',
      el('p', {
        textContent:
          'This driver does not reload services. Run these commands on the nodes, one node at a time.',
      }),
      ...left.map(({ node, commands }) => {
        const text = commands.join('\n');
        const copy = wayButton({
          text: 'Copy',
          work: () => copyText(text),
        });
        copy.setAttribute('aria-label', `Copy commands for ${node}`);
        const code = el('pre', { textContent: shownLines(commands), tabIndex: 0 });
        code.setAttribute('aria-label', `Commands for ${node}`);
        code.setAttribute('role', 'region');
        return el(
          'details',
          { className: 'deploy-diff' },
          el(
            'summary',
            {},
            el('strong', { textContent: shownText(node) }),
            el('span', {
              className: 'quiet',
              textContent: commands.length === 1 ? '1 command' : `${commands.length} commands`,
            }),
          ),
          el('div', { className: 'row' }, copy),
          code,
        );
      }),
    ),
  ];
}

function shownLines(lines: readonly string[]) {
  return lines.map(shownText).join('\n');
}
