import { ask, el, shownText } from './dom.js';

/** Before something that cannot be taken back, its name has to be typed. */

/**
 * A field for that name.
 *
 * @param texts `wrong`: what is said of another name
 */
export function typedName(name: string, texts: { label?: string; wrong?: string } = {}) {
  const { label = `Type “${shownText(name)}” to confirm` } = texts;
  const { wrong = 'The name does not match.' } = texts;
  const input = el('input', { name: 'confirm_name', autocomplete: 'off', required: true });
  const node = el('label', {}, label, input);
  return {
    node,
    /** @param isNeeded by default it is */
    need(isNeeded: boolean) {
      node.hidden = !isNeeded;
      input.required = isNeeded;
    },
    /**
     * The field of a request: nothing while it is not needed.
     *
     * @throws Error for another name
     */
    given() {
      if (node.hidden) return {};
      if (input.value !== name) throw new Error(wrong);
      return { confirm_name: input.value };
    },
  };
}

/**
 * Asks before something is permanently deleted.
 *
 * @param name that has to be typed
 * @returns what else was entered, or null when the dialog was closed
 */
export function askTyped(
  title: string,
  nodes: readonly Node[],
  name: string,
  options: { okText?: string; danger?: boolean } = {},
) {
  const { okText = 'Delete permanently', danger = true } = options;
  const typed = typedName(name);
  return ask(title, [...nodes, typed.node], okText, async () => typed.given(), { danger });
}
