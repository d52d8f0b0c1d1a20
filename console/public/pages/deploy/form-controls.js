import { el } from '../../js/dom.js';
import { input, select } from '../../js/parts.js';

/** @typedef {import('./spec-fields.js').FieldRule} FieldRule */

/**
 * What a field is entered in.
 *
 * @param {FieldRule} rule
 * @param {string} label
 * @param {unknown} value as the specification has it, whatever that is
 * @param {(next: unknown) => void} set is given what was entered; undefined where that is nothing
 * @returns {HTMLElement}
 */
export function controlOf({ kind = 'text', choices = [], at, size }, label, value, set) {
  if (kind === 'set') return checks(listOf(value), choices, set);
  if (kind === 'choice') {
    const made = select(
      at.join('.'),
      choices.map((one) => /** @type {const} */ ([one, one])),
    );
    made.value = String(value ?? choices[0] ?? '');
    made.setAttribute('aria-label', label);
    made.onchange = () => set(made.value);
    return made;
  }
  const made = input(at.join('.'));
  made.setAttribute('aria-label', label);
  if (size === 'small') made.classList.add('small');
  if (kind === 'flag') {
    made.type = 'checkbox';
    made.checked = value === true;
    made.onchange = () => set(made.checked ? true : undefined);
    return made;
  }
  made.value = kind === 'words' ? listOf(value).join(', ') : String(value ?? '');
  if (kind === 'number') made.inputMode = 'decimal';
  made.oninput = () => set(valueOf(made.value, kind));
  return made;
}

/**
 * @param {readonly unknown[]} chosen
 * @param {readonly string[]} choices
 * @param {(next: unknown) => void} set
 */
function checks(chosen, choices, set) {
  const boxes = choices.map((name) =>
    el('input', { type: 'checkbox', name, checked: chosen.includes(name) }),
  );
  for (const box of boxes) {
    box.onchange = () => set(boxes.filter(({ checked }) => checked).map(({ name }) => name));
  }
  return el(
    'div',
    { className: 'row' },
    ...boxes.map((box) => el('label', { className: 'check' }, box, box.name)),
  );
}

/**
 * @param {string} text
 * @param {FieldRule['kind']} kind
 */
function valueOf(text, kind) {
  if (text === '') return undefined;
  if (kind === 'words') return text.split(/[\s,]+/).filter(Boolean);
  // What is no number stays as it is: the service says what it expects.
  return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** @param {unknown} value @returns {any[]} */
export function listOf(value) {
  return Array.isArray(value) ? value : [];
}

/**
 * Does what may draw a place anew; the control that has the focus has it afterwards, or the one in
 * its place.
 *
 * @param {HTMLElement} place
 * @param {() => void} work
 */
export function keepingFocus(place, work) {
  const all = () =>
    /** @type {NodeListOf<HTMLElement>} */ (
      place.querySelectorAll('input, select, button, summary')
    );
  const focused = document.activeElement;
  const at = [...all()].findIndex((one) => one === focused);
  work();
  if (at !== -1 && !place.contains(focused)) all()[at]?.focus();
}
