import { ask, el, shownText } from '../../js/dom.js';
import { typedName } from '../../js/typed-name.js';
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
  const label = `Type the cluster name “${shownText(cluster)}” to confirm`;
  const typed = typedName(cluster, { label, wrong: 'The cluster name does not match.' });
  /** @type {{ made?: Made, problem?: unknown }} */
  const outcome = {};
  await ask(
    title(shownText(cluster)),
    [...nodes, typed.node],
    okText,
    async () => {
      typed.given();
      try {
        outcome.made = await work(cluster);
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
