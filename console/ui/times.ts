import { timeAt } from './clock.js';
import { el } from './dom.js';

/** Times as people read them: how long ago, with the exact time on hover. */

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const EVERY_MS = 30_000;
const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/** @param atMs of a time, before or after now */
export function relativeText(atMs: number, nowMs: number) {
  const seconds = (atMs - nowMs) / 1000;
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  if (unit === 'second')
    return Math.abs(seconds) < 30 ? 'just now' : WORDS.format(Math.round(seconds), unit);
  return WORDS.format(Math.trunc(seconds / size), unit);
}

/** @returns an element that keeps up with the clock while it is on the page */
export function timeElement(atMs: number) {
  const time = new Date(atMs);
  if (Number.isNaN(time.getTime())) return el('time');
  const made = el('time', { dateTime: time.toISOString(), title: timeAt(atMs / 1000, 'zoned') });
  made.textContent = relativeText(atMs, Date.now());
  made.dataset.relative = String(atMs);
  return made;
}

setInterval(() => {
  for (const one of document.querySelectorAll('time[data-relative]')) {
    const text = relativeText(Number((one as HTMLElement).dataset.relative), Date.now());
    if (one.textContent !== text) one.textContent = text;
  }
}, EVERY_MS);
