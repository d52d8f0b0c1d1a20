import { durationText, el } from '../../../ui/dom.js';

/** @param seconds that are left */
export function cooldownText(seconds: number) {
  return `Cooldown after the last run: ${durationText(seconds)} left.`;
}

/**
 * A line that counts the seconds down, and hides when none is left.
 *
 * @param untilS unix seconds
 */
export function cooldownLine(untilS: number) {
  const line = el('p', { className: 'lab-note' });
  const show = () => {
    const left = untilS - Date.now() / 1000;
    line.textContent = cooldownText(left);
    line.hidden = left <= 0;
    if (line.hidden) clearInterval(timer);
  };
  const timer = setInterval(show, 1000);
  show();
  return line;
}
