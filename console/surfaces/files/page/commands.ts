import { $ } from '../../../ui/dom.js';
import { knownBuckets } from './bucket-list.js';
import { go } from './state.js';
import type { Command } from '../../../ui/command-palette.js';

/** The commands of the palette on this page: buckets to open, and the tools that are there. */

/** Buttons of the page, their icons and keys. */
const TOOLS: readonly (readonly [selector: string, icon: string, key?: string])[] = [
  ['#upload', 'upload', 'u'],
  ['#upload-folder', 'folder-up'],
  ['#new-folder', 'folder-plus', 'n'],
  ['#new-container', 'box'],
  ['#show-trash', 'trash-2', 't'],
  ['#refresh', 'refresh-cw', 'r'],
  ['#zip', 'archive'],
  ['#copy', 'copy', 'c'],
  ['#share', 'link'],
  ['#restore-all', 'undo-2'],
  ['#empty-trash', 'trash-2'],
  ['#help', 'keyboard', '?'],
];
const FIELDS: readonly (readonly [selector: string, text: string, icon: string, key: string])[] = [
  ['#q', 'Search in this folder', 'search', '/'],
  ['#jump-text', 'Go to names starting with…', 'arrow-right', 'g'],
];
const BUCKETS_MOST = 200;

export function filesCommands(): Command[] {
  const tools = TOOLS.flatMap(([selector, icon, keys]) => {
    const button = $(selector);
    if (button.hidden || button.closest('[hidden]') !== null) return [];
    const text = button.title || button.textContent.trim();
    const command = { text, icon, group: 'Actions' as const };
    return [{ ...command, ...(keys && { keys }), run: () => button.click() }];
  });
  const fields = FIELDS.filter(([selector]) => $(selector).closest('[hidden]') === null).map(
    ([selector, text, icon, keys]) => ({
      ...{ text, icon, keys, group: 'Actions' as const },
      run: () => $(selector).focus(),
    }),
  );
  const buckets = knownBuckets()
    .slice(0, BUCKETS_MOST)
    .map((name) => ({
      text: name,
      icon: 'box',
      group: 'Go to' as const,
      run: () => go(name, ''),
    }));
  return [...fields, ...tools, ...buckets];
}
