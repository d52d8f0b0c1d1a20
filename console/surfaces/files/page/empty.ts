import { $, el } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { may } from './state.js';

export const LOADING = 'Loading…';
export const EMPTY = 'This folder is empty.';

/** Nothing to show: what this is, or where it will be, and the next step. */
export function emptyNodes(text: string) {
  if (text === '') return [];
  const nextStep = (words: string, selector: string) =>
    el('button', { textContent: words, className: 'primary', onclick: () => $(selector).click() });
  if (text === EMPTY && may('member')) {
    const hint = el('span', { textContent: 'Drop files here or choose files.' });
    return [icon('folder-open'), text, hint, nextStep('Choose files', '#upload')];
  }
  if (text !== LOADING) return [icon('folder-open'), text];
  const lines = Array.from({ length: 6 }, () => el('span', { className: 'skeleton' }));
  return [el('span', { className: 'sr', textContent: text }), ...lines];
}
