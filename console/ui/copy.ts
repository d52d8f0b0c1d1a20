import { el } from './dom.js';
import { toast } from './toast.js';

/**
 * Puts a text into the clipboard. Pages over plain http from another host have no clipboard API.
 *
 * @returns whether it is there
 */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el('textarea', { value: text, className: 'sr', readOnly: true });
    const active = document.activeElement as HTMLElement | null;
    // Outside of an open dialog nothing can be selected.
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    // Pages of http have no other way.
    // oxlint-disable-next-line typescript/no-deprecated
    const isCopied = document.execCommand('copy');
    area.remove();
    active?.focus();
    return isCopied;
  }
}

/** Copies a text, and says whether that worked. */
export async function copyText(text: string) {
  if (await copy(text)) toast('Copied.');
  else toast('Copying failed: the browser blocked access to the clipboard.', { state: 'crit' });
}

/**
 * A text to take along, in a field with a button that copies it.
 *
 * @param properties of the field
 */
export function copyField(
  label: string,
  value: string,
  properties: Partial<HTMLInputElement> = {},
) {
  const field = el('input', { readOnly: true, value, spellcheck: false, ...properties });
  field.onfocus = () => {
    field.select();
    field.scrollLeft = 0;
  };
  const said = el('span', { className: 'quiet', role: 'status' });
  const button = el('button', { type: 'button', textContent: 'Copy' });
  button.setAttribute('aria-label', `Copy: ${label}`);
  button.onclick = async () => {
    const isCopied = await copy(value);
    if (!isCopied) field.select();
    said.textContent = isCopied ? 'Copied.' : 'Selected. Press Ctrl+C or ⌘C to copy.';
  };
  const name = el('label', { className: 'field' }, label, field);
  return el('div', { className: 'copy-field' }, name, button, said);
}
