import { call, MISSED } from '../../js/api.js';
import { $, durationText, el } from '../../js/dom.js';
import { fail } from '../../js/shell.js';
import { timeElement } from '../../js/times.js';
import {
  badge,
  card,
  fill,
  keepInUrl,
  pageHead,
  problem,
  setViewState,
  table,
  viewState,
} from './ground.js';

/**
 * @typedef {import('../../../server/runs/run.js').RunView} AnyRun
 * @typedef {import('../../js/api.js').Topics} Topics
 * @typedef {import('../../js/api.js').StreamState} StreamState
 */

/**
 * @template {{ readonly items: readonly AnyRun[] }} View
 * @template Answer
 * @typedef {object} RunPageOptions
 * @property {string} title
 * @property {string} purpose in one line
 * @property {string} kind of the runs, as the console names it: `lab.genome`
 * @property {string} listTitle what the runs are called together: `Searches`
 * @property {() => Promise<View>} list asks for the runs, the newest first
 * @property {(id: string) => Promise<Answer>} read asks for one run, in the background
 * @property {(answer: Answer) => AnyRun} runOf
 * @property {(view: View, open: (id: string) => void) => Node | Promise<Node>} form what starts a
 *   run and opens it; made once
 * @property {(answer: Answer, isOver: boolean) => readonly Node[]} show the run that was opened; is
 *   called again whenever there is news of it
 * @property {readonly import('../../js/parts.js').Column<View['items'][number]>[]} columns of the
 *   list, between when a run was started and who started it
 */

const OVER = ['done', 'failed', 'cancelled', 'reverted'];

/** @param {Pick<AnyRun, 'state'>} run whether nothing more will become of it */
export function isRunOver({ state }) {
  return OVER.includes(state);
}

/**
 * A page of runs: a form that starts them, the run that is shown, and the list of all. The address
 * names the run, news of it come over the stream of events, and what was missed is asked for.
 *
 * @template {{ readonly items: readonly AnyRun[] }} View
 * @template Answer
 * @param {RunPageOptions<View, Answer>} options
 * @returns what the module of the page exports
 */
export function runPage(options) {
  /** @type {(id: string | undefined) => void} what to do with news: of one run, or of any */
  let onNews = () => undefined;
  /** @type {Topics} */
  const topics = {
    runs: ({ id, kind }) => {
      if (kind === options.kind) onNews(id);
    },
  };
  // Whatever was said while there was no connection is asked for now.
  const onConnection = (/** @type {StreamState} */ state) => {
    if (state !== 'stale') onNews(undefined);
  };
  const mount = async () => {
    const page = new RunPage(options);
    onNews = (id) => page.hear(id);
    window.addEventListener(MISSED, () => page.hear(undefined));
    await page.begin();
  };
  return { topics, onConnection, mount };
}

/**
 * @template {{ readonly items: readonly AnyRun[] }} View
 * @template Answer
 */
class RunPage {
  #options;
  #form = el('div');
  #detail = el('div', { className: 'lab-page' });
  #list = el('div');
  #shown = '';
  #isOver = false;
  #isAsking = false;
  #asksAgain = false;

  /** @param {RunPageOptions<View, Answer>} options */
  constructor(options) {
    this.#options = options;
    const main = $('#main');
    main.classList.add('lab-page');
    main.append(pageHead(options.title, options.purpose), this.#form, this.#detail, this.#list);
  }

  async begin() {
    const { list, form } = this.#options;
    await fill(this.#form, async () => {
      const view = await list();
      this.#list.replaceChildren(...this.#rows(view));
      return [await form(view, this.#open)];
    });
    const { run } = viewState();
    if (run !== undefined) this.#open(run);
  }

  /** @param {string | undefined} id of the run that there is news of; undefined: of any */
  hear(id) {
    if (id !== this.#shown) void this.#refresh();
    if (this.#shown === '' || this.#isOver) return;
    if (id === undefined || id === this.#shown) void this.#show();
  }

  #refresh() {
    return fill(this.#list, async () => this.#rows(await this.#options.list()));
  }

  #open = (/** @type {string} */ id) => {
    // The rest of the address is of the run that it names.
    const state = viewState();
    setViewState({ ...(state.run === id ? state : {}), run: id });
    this.#shown = id;
    this.#isOver = false;
    this.#detail.replaceChildren();
    void this.#show();
  };

  /** Asks for the run that is shown: once at a time, and once more where there was news meanwhile. */
  async #show() {
    if (this.#isAsking) {
      this.#asksAgain = true;
      return;
    }
    this.#isAsking = true;
    do {
      this.#asksAgain = false;
      await this.#showOnce(this.#shown);
    } while (this.#asksAgain);
    this.#isAsking = false;
  }

  /** @param {string} id */
  async #showOnce(id) {
    const { read, runOf, show } = this.#options;
    try {
      const answer = await read(id);
      if (this.#shown !== id) return;
      this.#isOver = isRunOver(runOf(answer));
      this.#detail.replaceChildren(...show(answer, this.#isOver));
      if (this.#isOver) await this.#refresh();
    } catch (error) {
      if (this.#shown === id) this.#detail.replaceChildren(problem(error));
    }
  }

  /** @param {View} view @returns {readonly Node[]} */
  #rows({ items }) {
    const { listTitle, columns } = this.#options;
    if (items.length === 0) return [];
    /** @typedef {View['items'][number]} Row */
    return [
      card(
        listTitle,
        table(
          listTitle,
          [
            {
              title: 'Started',
              value: (/** @type {Row} */ row) => new Date(1000 * row.started_unix_s).toISOString(),
              cell: (/** @type {Row} */ row) => timeElement(1000 * row.started_unix_s),
            },
            ...columns,
            { title: 'By', value: (/** @type {Row} */ row) => row.actor },
            {
              title: 'State',
              value: (/** @type {Row} */ row) => row.state,
              cell: (/** @type {Row} */ row) => stateBadge(row),
            },
            {
              title: 'Result',
              value: (/** @type {Row} */ row) => row.id,
              cell: (/** @type {Row} */ row) =>
                el('button', {
                  className: 'plain',
                  textContent: 'View',
                  onclick: () => this.#open(row.id),
                }),
            },
          ],
          items,
        ),
      ),
    ];
  }
}

/** @type {Record<AnyRun['state'], 'ok' | 'warn' | 'crit' | 'info'>} */
const STATES = {
  intent: 'info',
  active: 'info',
  reverting: 'warn',
  stuck: 'crit',
  done: 'ok',
  failed: 'crit',
  cancelled: 'warn',
  reverted: 'warn',
};

/** @param {Pick<AnyRun, 'state'>} run */
export function stateBadge({ state }) {
  return badge(state, STATES[state]);
}

/**
 * The first lines of a run that is shown: its state, what it is, who started it and when, a button
 * that cancels it while it goes on, and what it failed of.
 *
 * @param {AnyRun} run
 * @param {string} text what it is about
 * @param {...Node} actions more buttons, before the one that cancels
 * @returns {readonly Node[]}
 */
export function runHead(run, text, ...actions) {
  const { state, actor, error, started_unix_s: started, ended_unix_s: ended } = run;
  const said = el('span', {}, `${text}, by ${actor}, `, timeElement(1000 * started));
  const head = el('div', { className: 'row' }, stateBadge({ state }), said);
  if (ended !== null)
    head.append(el('span', { textContent: `took ${durationText(ended - started)}` }));
  if (!isRunOver(run)) {
    const cancel = el('button', {
      textContent: 'Cancel',
      onclick: () => {
        call('DELETE', `/api/runs/${run.id}`).catch(fail);
      },
    });
    head.append(el('span', { className: 'grow' }), ...actions, cancel);
  }
  if (error === null) return [head];
  return [head, el('p', { className: 'error', textContent: error.message })];
}

/**
 * A form that starts something, and says beside its button what was refused. The URL has its fields.
 *
 * @param {readonly Node[]} content with the button that sends it
 * @param {() => Promise<void>} send
 */
export function startForm(content, send) {
  const said = el('div');
  const form = el('form', { className: 'lab-page' }, ...content, said);
  keepInUrl(form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    said.replaceChildren();
    try {
      await send();
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  });
  return form;
}
