import { el } from '../../js/dom.js';
import { icon, iconButton } from '../../js/icons.js';
import { controlOf, listOf } from './form-controls.js';

/**
 * @typedef {import('./spec-fields.js').FieldRule} FieldRule
 * @typedef {import('./spec-fields.js').TableRule} TableRule
 * @typedef {Record<string, any>} Json
 */

/** For ids of places for problems: several forms may be on a page. */
let numbers = 0;

/** What a form over a JSON object is made of: it changes the object in place. */
export class FormParts {
  /** @type {Json} */
  draft = {};
  /** Places for problems, by JSON pointer. @type {Map<string, HTMLElement>} */
  slots = new Map();
  onChange;

  /** @param {() => void} onChange called when the object is another one */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** Draws the form anew, where fields depend on what was changed. */
  redraw() {
    this.onChange();
  }

  /** @param {string} pointer */
  slot(pointer) {
    const made = el('div', { className: 'deploy-problems', id: `problems-${numbers++}` });
    this.slots.set(pointer, made);
    return made;
  }

  /**
   * @param {readonly FieldRule[]} fields
   * @param {boolean} [shapes] whether other fields depend on them
   * @param {readonly (string | number)[]} [base]
   */
  fields(fields, shapes = false, base = []) {
    return el(
      'div',
      { className: 'deploy-fields' },
      ...fields.map((rule) => {
        const made = this.control([...base, ...rule.at], rule, rule.label, shapes);
        const slot = this.slot(pointerOf([...base, ...rule.at]));
        const hint =
          rule.hint === undefined
            ? []
            : [el('span', { className: 'hint', textContent: rule.hint })];
        const box =
          rule.kind === 'set'
            ? el(
                'fieldset',
                { className: 'field' },
                el('legend', { textContent: rule.label }),
                made,
                slot,
              )
            : el('div', { className: 'field' }, el('label', {}, rule.label, made), ...hint, slot);
        box.dataset.field = '';
        if (rule.size === 'wide') box.classList.add('wide');
        return box;
      }),
    );
  }

  /**
   * @param {TableRule} rule
   * @param {readonly (string | number)[]} [base]
   */
  table({ at, one, columns, blank }, base = []) {
    const path = [...base, ...at];
    const rows = listOf(this.get(path));
    const body = rows.map((_row, index) => {
      const name = `${one} ${index + 1}`;
      const cells = columns.map((column) => {
        const place = [...path, index, ...column.at];
        const cell = el(
          'td',
          { className: column.kind === 'flag' ? 'center' : '' },
          this.control(place, column, `${name}: ${column.label}`),
          this.slot(pointerOf(place)),
        );
        cell.dataset.field = '';
        return cell;
      });
      const remove = iconButton('trash-2', `Remove ${name.toLowerCase()}`, () =>
        this.restructure(
          path,
          rows.filter((_, other) => other !== index),
        ),
      );
      return el(
        'tr',
        {},
        ...cells,
        el('td', { className: 'act' }, this.slot(pointerOf([...path, index])), remove),
      );
    });
    const head = columns.map(({ label }) => el('th', { scope: 'col', textContent: label }));
    const list = el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...head,
          el('th', { scope: 'col' }, el('span', { className: 'sr', textContent: 'Remove' })),
        ),
      ),
      el('tbody', {}, ...body),
    );
    list.setAttribute('aria-label', `${one} list`);
    const add = el('button', { type: 'button' }, icon('plus'), `Add ${one.toLowerCase()}`);
    add.onclick = () => this.restructure(path, [...rows, blank(rows.length)]);
    const scroll = el('div', { className: 'table-scroll deploy-rows' }, list);
    return el(
      'div',
      {},
      this.slot(pointerOf(path)),
      ...(rows.length === 0 ? [] : [scroll]),
      el('div', { className: 'row deploy-add' }, add),
    );
  }

  /**
   * @param {readonly (string | number)[]} path
   * @param {FieldRule} rule
   * @param {string} label
   * @param {boolean} [shapes] whether other fields depend on it
   */
  control(path, rule, label, shapes = false) {
    return controlOf(rule, label, this.get(path), (next) => {
      this.set(path, next);
      if (shapes) this.redraw();
      else this.onChange();
    });
  }

  /** @param {readonly (string | number)[]} path @returns {any} */
  get(path) {
    return path.reduce((/** @type {any} */ at, step) => at?.[step], this.draft);
  }

  /**
   * @param {readonly (string | number)[]} path
   * @param {unknown} value undefined takes it away, and objects that are empty then
   */
  set(path, value) {
    const [last = ''] = path.slice(-1);
    let at = /** @type {any} */ (this.draft);
    for (const step of path.slice(0, -1)) at = at[step] ??= {};
    if (value !== undefined) {
      at[last] = value;
      return;
    }
    Reflect.deleteProperty(at, last);
    const parent = path.slice(0, -1);
    const isEmpty = parent.length > 0 && !Array.isArray(at) && Object.keys(at).length === 0;
    if (isEmpty && typeof parent.at(-1) === 'string') this.set(parent, undefined);
  }

  /**
   * @param {readonly (string | number)[]} path
   * @param {readonly unknown[]} rows
   */
  restructure(path, rows) {
    this.set(path, rows);
    this.redraw();
  }
}

/**
 * The JSON pointer of a path of names that need no escapes.
 *
 * @param {readonly (string | number)[]} path
 */
export function pointerOf(path) {
  return path.map((step) => `/${step}`).join('');
}
