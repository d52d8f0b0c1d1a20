import { el } from '../../../ui/dom.js';
import { select } from '../../../ui/parts.js';
import { place, setPlace } from './place.js';

type Choice = 'services' | 'nodes';

const LIMITS = ['200', '1000', '5000'];
const TYPING_MS = 400;

/** The part of the log that is shown; kept in the address of the page. */
export class LogFilter {
  element = el('form', {
    className: 'row filters',
    role: 'search',
    ariaLabel: 'Filter log lines',
    onsubmit: (event) => event.preventDefault(),
  });
  #contains = el('input', { type: 'search', maxLength: 256, placeholder: 'Text or request ID' });
  #level;
  #limit;
  #own = el('input', { type: 'checkbox' });
  #choices = {
    services: el('fieldset', { hidden: true }),
    nodes: el('fieldset', { hidden: true }),
  };
  #offered = { services: '', nodes: '' };
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(levels: readonly string[]) {
    const above = levels.map((one) => [one, `${one} and above`] as const);
    this.#level = select('level', [['', 'any'], ...above]);
    this.#limit = select(
      'limit',
      LIMITS.map((one) => [one, `${one} lines`] as const),
    );
    this.#level.onchange = () => setPlace({ level: this.#level.value });
    this.#own.onchange = () => setPlace({ own: this.#own.checked ? 'show' : 'hide' });
    this.#limit.onchange = () => setPlace({ limit: this.#limit.value });
    this.#contains.oninput = () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => setPlace({ contains: this.#contains.value }), TYPING_MS);
    };
    this.element.append(
      el('label', {}, 'Contains ', this.#contains),
      el('label', {}, 'Level ', this.#level),
      el('label', {}, 'Limit ', this.#limit),
      el('label', { className: 'chip' }, this.#own, 'Include console requests'),
      this.#choices.services,
      this.#choices.nodes,
    );
    this.show();
  }

  /** Takes the filters from the place. */
  show() {
    if (document.activeElement !== this.#contains) this.#contains.value = place.contains;
    this.#level.value = place.level;
    this.#limit.value = place.limit;
    this.#own.checked = place.own === 'show';
    for (const key of ['services', 'nodes'] as const) {
      const chosen = place[key].split(',');
      for (const box of this.#choices[key].querySelectorAll('input')) {
        box.checked = chosen.includes(box.value);
      }
    }
  }

  /**
   * A chosen value stays a choice.
   *
   * @param given the services and nodes to choose from
   */
  offer({ services, nodes }: Record<Choice, readonly string[]>) {
    this.#offer('services', 'Service', services);
    this.#offer('nodes', 'Node', nodes);
  }

  #offer(key: Choice, title: string, given: readonly string[]) {
    const chosen = place[key].split(',').filter((one) => one !== '');
    const all = [...new Set([...given, ...chosen])].sort();
    if (all.join() === this.#offered[key]) return;
    this.#offered[key] = all.join();
    const boxes = all.map((name) => {
      const box = el('input', { type: 'checkbox', value: name, checked: chosen.includes(name) });
      box.onchange = () => {
        const now = [...this.#choices[key].querySelectorAll('input')].filter((one) => one.checked);
        setPlace({ [key]: now.map(({ value }) => value).join(',') });
      };
      return el('label', { className: 'chip' }, box, name);
    });
    this.#choices[key].replaceChildren(el('legend', { textContent: title }), ...boxes);
    this.#choices[key].hidden = all.length === 0;
  }
}
