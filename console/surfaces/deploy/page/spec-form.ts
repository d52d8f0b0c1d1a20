import { el, shownText } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { badge } from '../../../ui/parts.js';
import { FormParts, pointerOf } from './form-parts.js';
import { nearest, pathText, problemsText } from './json-places.js';
import { listOf, objectOf, textOf, type Json } from './json-values.js';
import * as rules from './spec-fields.js';
import { check, quiet, quietLine, wayButton } from './views.js';
import type { SpecProblem as Problem } from '../../../../src/deploy/spec/parse.js';

/** Nodes that the form shows; a cluster of more is edited as JSON. */
const NODES_MAX = 200;

/** A form over a specification: it changes the object that it is given, in place. */
export class SpecForm extends FormParts {
  element = el('div', { className: 'deploy-form' });
  #problems: readonly Problem[] = [];
  /** Names of the sections that the user has opened. */
  #open = new Set<string>(['Cluster', 'Nodes']);

  show(draft: Json) {
    this.draft = draft;
    this.slots = new Map();
    const users = this.get(['proxy', 'auth', 'type']) === 'keystone';
    this.element.replaceChildren(
      this.slot(''),
      this.#section('Cluster', '/cluster', '', this.fields(rules.CLUSTER)),
      this.#section('Policies', '/policies', count(draft.policies), this.table(rules.POLICIES)),
      this.#section('Rings', '/rings', count(draft.rings), this.table(rules.RINGS)),
      this.#section('Nodes', '/nodes', count(draft.nodes), this.#nodes()),
      this.#section(
        'Proxies and users',
        '/proxy',
        '',
        this.fields(rules.PROXY, true),
        users ? this.fields(rules.KEYSTONE) : this.table(rules.USERS),
      ),
      this.#section(
        'Gateway',
        '/gateway',
        draft.gateway === undefined ? 'off' : 'on',
        ...this.#gateway(),
      ),
      quietLine(`Edit ports, filter options and tuning as JSON (${tuned(draft)}).`),
    );
    this.#mark();
  }

  /** @param problems shown at their fields, all at once */
  mark(problems: readonly Problem[]) {
    this.#problems = problems;
    this.#mark();
  }

  /** Leads to the field of a problem. */
  reveal(pointer: string) {
    for (const closed of this.element.querySelectorAll('details')) {
      const { pointer: own } = closed.dataset;
      if (own !== undefined && `${pointer}/`.startsWith(`${own}/`)) closed.open = true;
    }
    const slot = nearest(this.slots, pointer);
    const details = slot?.closest('details');
    for (let one = details; one; one = one.parentElement?.closest('details')) one.open = true;
    const field = slot?.closest('[data-field]') ?? slot?.parentElement;
    const control = field?.querySelector('input, select, button') as HTMLElement | null | undefined;
    control?.focus();
    control?.scrollIntoView({ block: 'center' });
  }

  #mark() {
    for (const slot of this.slots.values()) {
      slot.replaceChildren();
      slot.closest('[data-field]')?.querySelector('input, select')?.removeAttribute('aria-invalid');
    }
    for (const { path, message } of this.#problems) {
      const slot = nearest(this.slots, path);
      if (slot === undefined) continue;
      const own = this.slots.get(path) === slot;
      slot.append(
        el('span', {
          className: 'problem',
          textContent: own ? message : `${shownText(pathText(path))}: ${shownText(message)}`,
        }),
      );
      const control = slot.closest('[data-field]')?.querySelector('input, select');
      control?.setAttribute('aria-invalid', 'true');
      control?.setAttribute('aria-describedby', slot.id);
    }
    for (const one of this.element.querySelectorAll('details[data-pointer]')) {
      const { pointer = '' } = (one as HTMLElement).dataset;
      const own = this.#problems.filter(({ path }) => `${path}/`.startsWith(`${pointer}/`)).length;
      const place = one.querySelector(':scope > summary > .badge');
      if (place === null) continue;
      place.textContent = own === 0 ? '' : problemsText(own);
    }
  }

  /** @param pointer whose problems are counted in the title */
  #section(title: string, pointer: string, note: string, ...children: Node[]) {
    const made = el(
      'details',
      { className: 'card deploy-section' },
      el('summary', {}, el('h2', { textContent: title }), quiet(note), badge('', 'crit')),
      ...children,
    );
    made.dataset.pointer = pointer;
    this.#remember(made, title);
    return made;
  }

  #nodes() {
    const nodes = listOf(this.draft.nodes);
    const shown = nodes
      .slice(0, NODES_MAX)
      .map((node, index) => this.#node(objectOf(node), index, nodes));
    const add = el('button', { type: 'button' }, icon('plus'), 'Add node');
    add.onclick = () => {
      this.#open.add(`node ${nodes.length}`);
      this.restructure(['nodes'], [...nodes, rules.blankNode(nodes.length)]);
    };
    const more = nodes.length - shown.length;
    const note = more > 0 ? `${more} more nodes are shown only in the JSON. ` : '';
    return el(
      'div',
      {},
      this.slot('/nodes'),
      ...shown,
      el('div', { className: 'row deploy-add' }, note, add),
    );
  }

  #node(node: Json, index: number, nodes: readonly unknown[]) {
    const path = ['nodes', index];
    const devices = listOf(node.devices).length;
    const title = textOf(node.name) || `node ${index + 1}`;
    const text = `zone ${textOf(node.zone, '?')}, ${textOf(node.storage_ip, 'no address')}, ${devices === 1 ? '1 device' : `${devices} devices`}`;
    const made = el(
      'details',
      { className: 'deploy-node' },
      el(
        'summary',
        {},
        icon('server'),
        el('strong', { textContent: shownText(title) }),
        quiet(text),
        badge('', 'crit'),
      ),
    );
    made.dataset.pointer = pointerOf(path);
    // A cluster may have hundreds of nodes: fields are made when they are looked at.
    const fill = () => {
      if (!made.open || made.childElementCount > 1) return;
      const rest = nodes.filter((_, other) => other !== index);
      const remove = wayButton({
        text: 'Remove node',
        work: () => this.restructure(['nodes'], rest),
        danger: true,
      });
      made.append(
        this.slot(pointerOf(path)),
        this.fields(rules.NODE, false, path),
        el('h3', { textContent: 'Devices' }),
        this.table(rules.DEVICES, path),
        el('div', { className: 'row end' }, remove),
      );
      this.#mark();
    };
    this.#remember(made, `node ${index}`);
    made.addEventListener('toggle', fill);
    fill();
    return made;
  }

  /** Opens what the user has opened before. */
  #remember(details: HTMLDetailsElement, name: string) {
    details.open = this.#open.has(name);
    details.addEventListener('toggle', () => {
      if (details.open) this.#open.add(name);
      else this.#open.delete(name);
    });
  }

  #gateway() {
    const { gateway } = this.draft;
    const box = el('input', { type: 'checkbox', checked: gateway !== undefined });
    box.onchange = () => {
      if (box.checked) this.draft.gateway = rules.firstSpec().gateway;
      else delete this.draft.gateway;
      this.redraw();
    };
    const always = [check(box, 'Ringway runs on each proxy host'), this.slot('/gateway')];
    return gateway === undefined ? always : [...always, this.fields(rules.GATEWAY)];
  }

  override redraw() {
    this.show(this.draft);
    this.onChange();
  }
}

function count(value: unknown) {
  return String(listOf(value).length);
}

function tuned({ tuning, proxy }: Json) {
  const options = objectOf(objectOf(proxy).pipeline_options);
  const sections = Object.keys({ ...objectOf(tuning), ...options }).length;
  return sections === 1 ? '1 section set' : `${sections} sections set`;
}
