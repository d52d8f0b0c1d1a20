import { el } from '../../../ui/dom.js';
import { input, select } from '../../../ui/parts.js';
import { listOf, textOf } from './json-values.js';
import { check } from './views.js';
import type { FieldRule } from './spec-fields.js';

/**
 * The control for the input of a field.
 *
 * @param value as the specification has it, whatever that is
 * @param set is given the input; undefined for an empty one
 */
export function controlOf(
  { kind = 'text', choices = [], at, size }: FieldRule,
  label: string,
  value: unknown,
  set: (next: unknown) => void,
): HTMLElement {
  if (kind === 'set') return checks(listOf(value), choices, set);
  if (kind === 'choice') {
    const made = select(
      at.join('.'),
      choices.map((one) => [one, one] as const),
    );
    made.value = textOf(value, choices[0]);
    made.ariaLabel = label;
    made.onchange = () => set(made.value);
    return made;
  }
  const made = input(at.join('.'), { ariaLabel: label });
  if (size === 'small') made.classList.add('small');
  if (kind === 'flag') {
    made.type = 'checkbox';
    made.checked = value === true;
    made.onchange = () => set(made.checked ? true : undefined);
    return made;
  }
  made.value = kind === 'words' ? listOf(value).join(', ') : textOf(value);
  if (kind === 'number') made.inputMode = 'decimal';
  made.oninput = () => set(valueOf(made.value, kind));
  return made;
}

function checks(
  chosen: readonly unknown[],
  choices: readonly string[],
  set: (next: unknown) => void,
) {
  const boxes = choices.map((name) =>
    el('input', { type: 'checkbox', name, checked: chosen.includes(name) }),
  );
  for (const box of boxes) {
    box.onchange = () => set(boxes.filter(({ checked }) => checked).map(({ name }) => name));
  }
  return el('div', { className: 'row' }, ...boxes.map((box) => check(box, box.name)));
}

function valueOf(text: string, kind: FieldRule['kind']) {
  if (text === '') return undefined;
  if (kind === 'words') return text.split(/[\s,]+/).filter(Boolean);
  // Text that is no number stays as it is: the service names the format that it expects.
  return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/**
 * Does what may draw a place anew; the control that has the focus has it afterwards, or the one in
 * its place.
 */
export function keepingFocus(place: HTMLElement, work: () => void) {
  const all = () => place.querySelectorAll<HTMLElement>('input, select, button, summary');
  const focused = document.activeElement;
  const at = [...all()].findIndex((one) => one === focused);
  work();
  if (at !== -1 && !place.contains(focused)) all()[at]?.focus();
}
