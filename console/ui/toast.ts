import { $, el, shownText } from './dom.js';
import { icon, iconButton } from './icons.js';

/** Long enough to read it; where there is a button, to think and to reach for it, too. */
const STAYS_MS = 6000;
const STAYS_WITH_ACTION_MS = 10_000;
/** The oldest one goes when there are more. */
const MOST = 4;

/**
 * Says once what was done, in the corner, until it is read.
 *
 * @param options `action`: a button beside it, such as the way back
 * @returns what takes it away
 */
export function toast(
  text: string,
  options: { state?: 'ok' | 'crit'; action?: readonly [label: string, work: () => void] } = {},
) {
  const { state = 'ok', action } = options;
  const line = el('div', { className: 'toast' });
  line.dataset.state = state;
  const close = () => line.remove();
  line.append(
    icon(state === 'ok' ? 'circle-check' : 'circle-alert'),
    el('span', { textContent: shownText(text) }),
  );
  if (action !== undefined) {
    const [label, work] = action;
    const button = el('button', { textContent: label });
    button.onclick = () => {
      close();
      work();
    };
    line.append(button);
  }
  line.append(iconButton('x', 'Dismiss', close));
  const host = $('#toasts');
  while (host.children.length >= MOST) host.firstElementChild?.remove();
  host.append(line);
  const staysMs = action === undefined ? STAYS_MS : STAYS_WITH_ACTION_MS;
  let timer = setTimeout(close, staysMs);
  // A message that is read, or about to be pressed, stays.
  for (const stop of ['pointerenter', 'focusin'])
    line.addEventListener(stop, () => clearTimeout(timer));
  line.addEventListener('pointerleave', () => {
    timer = setTimeout(close, staysMs);
  });
  return close;
}
