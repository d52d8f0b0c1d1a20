import { el } from '../../../ui/dom.js';
import { icon, iconButton } from '../../../ui/icons.js';
import { controlOf } from './form-controls.js';
import { listOf, objectOf, type Json } from './json-values.js';
import type { FieldRule, TableRule } from './spec-fields.js';

/** For ids of places for problems: several forms may be on a page. */
let numbers = 0;

/** The parts of a form over a JSON object: it changes the object in place. */
export class FormParts {
  draft: Json = {};
  /** Places for problems, by JSON pointer. */
  slots = new Map<string, HTMLElement>();
  onChange;

  /** @param onChange called when the object is another one */
  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  /** Draws the form anew, where fields depend on what was changed. */
  redraw() {
    this.onChange();
  }

  slot(pointer: string) {
    const made = el('div', { className: 'deploy-problems', id: `problems-${numbers++}` });
    this.slots.set(pointer, made);
    return made;
  }

  /** @param shapes whether other fields depend on them */
  fields(fields: readonly FieldRule[], shapes = false, base: readonly (string | number)[] = []) {
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

  table({ at, one, columns, blank }: TableRule, base: readonly (string | number)[] = []) {
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
    head.push(el('th', { scope: 'col' }, el('span', { className: 'sr', textContent: 'Remove' })));
    const list = el(
      'table',
      { ariaLabel: `${one} list` },
      el('thead', {}, el('tr', {}, ...head)),
      el('tbody', {}, ...body),
    );
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

  /** @param shapes whether other fields depend on it */
  control(path: readonly (string | number)[], rule: FieldRule, label: string, shapes = false) {
    return controlOf(rule, label, this.get(path), (next) => {
      this.set(path, next);
      if (shapes) this.redraw();
      else this.onChange();
    });
  }

  get(path: readonly (string | number)[]): unknown {
    return path.reduce<unknown>((at, step) => objectOf(at)[step], this.draft);
  }

  /** @param value undefined takes it away, and objects that are empty then */
  set(path: readonly (string | number)[], value: unknown) {
    const [last = ''] = path.slice(-1);
    let at = this.draft;
    for (const step of path.slice(0, -1)) at = (at[step] ??= {}) as Json;
    if (value !== undefined) {
      at[last] = value;
      return;
    }
    Reflect.deleteProperty(at, last);
    const parent = path.slice(0, -1);
    const isEmpty = parent.length > 0 && !Array.isArray(at) && Object.keys(at).length === 0;
    if (isEmpty && typeof parent.at(-1) === 'string') this.set(parent, undefined);
  }

  restructure(path: readonly (string | number)[], rows: readonly unknown[]) {
    this.set(path, rows);
    this.redraw();
  }
}

/** The JSON pointer of a path of names that need no escapes. */
export function pointerOf(path: readonly (string | number)[]) {
  return path.map((step) => `/${step}`).join('');
}
