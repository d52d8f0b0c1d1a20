import { ask, el, shownText } from '../../js/dom.js';
import { field, input } from '../../js/parts.js';
import { loadSpec } from './control.js';

/**
 * Asks for what changes the cluster; the user types its name, so that one in another window is not
 * taken for it.
 *
 * @template Made
 * @param {{ title: (cluster: string) => string, nodes: readonly Node[], okText: string }} question
 * @param {(cluster: string) => Promise<Made>} work
 * @returns {Promise<{ made?: Made, problem?: unknown }>} what was made, or why it was not; neither
 *   where the user has closed the question
 */
export async function withTypedCluster({ title, nodes, okText }, work) {
  const { spec } = await loadSpec().catch(() => ({ spec: null }));
  const cluster = String(spec?.cluster ?? '');
  const typed = input('cluster', { required: true });
  /** @type {{ made?: Made, problem?: unknown }} */
  const outcome = {};
  await ask(
    title(shownText(cluster)),
    [...nodes, field('Type the name of the cluster', typed, shownText(cluster))],
    okText,
    async () => {
      if (typed.value !== cluster) throw new Error('This is not the name of the cluster.');
      try {
        outcome.made = await work(typed.value);
      } catch (error) {
        outcome.problem = error;
      }
    },
    { danger: true },
  );
  return outcome;
}

/** @param {string} text */
export function warningLine(text) {
  return el('p', { className: 'deploy-warning', textContent: shownText(text) });
}
