import { ask, el, shownText } from '../../../ui/dom.js';
import { typedName } from '../../../ui/typed-name.js';
import { loadSpec } from './control.js';
import { textOf } from './json-values.js';

/**
 * Asks for what changes the cluster; the user types its name, so that one in another window is not
 * taken for it.
 *
 * @returns what was made, or why it was not; neither where the user has closed the question
 */
export async function withTypedCluster<Made>(
  given: { title: (cluster: string) => string; nodes: readonly Node[]; okText: string },
  work: (cluster: string) => Promise<Made>,
): Promise<{ made?: Made; problem?: unknown }> {
  const { spec } = await loadSpec().catch(() => ({ spec: null }));
  const cluster = textOf(spec?.cluster);
  const label = `Type the cluster name “${shownText(cluster)}” to confirm`;
  const typed = typedName(cluster, { label, wrong: 'The cluster name does not match.' });
  const outcome: { made?: Made; problem?: unknown } = {};
  const attempt = async () => {
    typed.given();
    try {
      outcome.made = await work(cluster);
    } catch (error) {
      outcome.problem = error;
    }
  };
  const title = given.title(shownText(cluster));
  await ask(title, [...given.nodes, typed.node], given.okText, attempt, { danger: true });
  return outcome;
}

export function warningLine(text: string) {
  return el('p', { className: 'deploy-warning', textContent: shownText(text) });
}
