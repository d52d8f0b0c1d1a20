import { copyText } from '../../../ui/copy.js';
import { el, shownText } from '../../../ui/dom.js';
import { badge, card } from '../../../ui/parts.js';
import { quiet, scrolled, wayButton, type Look } from './views.js';
import type { Run } from './control.js';

/** How states of runs and steps look. */
export const LOOKS: Record<string, Look> = {
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
    const label = `Retry ${shownText(node)}`;
    const retry = wayButton({ text: 'Retry', work: () => onRetry(node), label });
    const made = el(
      'div',
      { className: 'deploy-node-state' },
      el('strong', { textContent: shownText(node) }),
      badge(worst, LOOKS[worst] ?? ''),
      quiet(shownText(message)),
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
        const copy = wayButton({
          text: 'Copy',
          work: () => copyText(commands.join('\n')),
          label: `Copy commands for ${node}`,
        });
        const count = commands.length === 1 ? '1 command' : `${commands.length} commands`;
        const name = el('strong', { textContent: shownText(node) });
        return el(
          'details',
          { className: 'deploy-diff' },
          el('summary', {}, name, quiet(count)),
          el('div', { className: 'row' }, copy),
          scrolled(`Commands for ${node}`, commands.map(shownText).join('\n')),
        );
      }),
    ),
  ];
}
