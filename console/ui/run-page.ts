import { call, MISSED, type StreamState, type Topics } from './api.js';
import { $, durationText, el } from './dom.js';
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
} from './parts.js';
import { fail } from './shell.js';
import { timeElement } from './times.js';
import type { RunView as AnyRun } from '../server/runs/run.js';
import type { Column } from './parts.js';

interface RunPageOptions<View extends { readonly items: readonly AnyRun[] }, Answer> {
  /** Kind of the runs, as the console names it: `lab.genome`. */
  kind: string;
  /** The title of the list of runs: `Searches`. */
  listTitle: string;
  /** Asks for the runs, the newest first. */
  list: () => Promise<View>;
  /** Asks for one run, in the background. */
  read: (id: string) => Promise<Answer>;
  runOf: (answer: Answer) => AnyRun;
  /** The form that starts a run and opens it; made once. */
  form: (view: View, open: (id: string) => void) => Node | Promise<Node>;
  /** The run that was opened; is called again whenever there is news of it. */
  show: (answer: Answer, isOver: boolean) => readonly Node[];
  /** Columns of the list, between when a run was started and who started it. */
  columns: readonly Column<View['items'][number]>[];
  below?: (items: View['items']) => readonly Node[];
  /** The head of the page, where it is not that of all pages. */
  head?: () => Node;
}

const OVER = ['done', 'failed', 'cancelled', 'reverted'];

/** @param run whether nothing more will become of it */
export function isRunOver({ state }: Pick<AnyRun, 'state'>) {
  return OVER.includes(state);
}

/**
 * A page of runs: a form that starts them, the run that is shown, and the list of all. The address
 * names the run, news of it come over the stream of events, and what was missed is asked for.
 *
 * @returns what the module of the page exports
 */
export function runPage<View extends { readonly items: readonly AnyRun[] }, Answer>(
  options: RunPageOptions<View, Answer>,
) {
  /** Handles news: of one run, or of any. */
  let onNews: (id: string | undefined) => void = () => undefined;
  const topics: Topics = {
    runs: ({ id, kind }) => {
      if (kind === options.kind) onNews(id);
    },
  };
  // All that was said while there was no connection is asked for now.
  const onConnection = (state: StreamState) => {
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

class RunPage<View extends { readonly items: readonly AnyRun[] }, Answer> {
  #options;
  #form = el('div');
  #detail = el('div', { className: 'lab-page' });
  #list = el('div');
  #shown = '';
  #isOver = false;
  /** The state of the run that is shown, as the list has it. */
  #state = '';
  #isAsking = false;
  #asksAgain = false;

  constructor(options: RunPageOptions<View, Answer>) {
    this.#options = options;
    const main = $('#main');
    main.classList.add('lab-page');
    main.append((options.head ?? pageHead)(), this.#form, this.#detail, this.#list);
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

  /** @param id of the run that there is news of; undefined: of any */
  hear(id: string | undefined) {
    if (id !== this.#shown) void this.#refresh();
    if (this.#shown === '' || this.#isOver) return;
    if (id === undefined || id === this.#shown) void this.#show();
  }

  #refresh() {
    return fill(this.#list, async () => this.#rows(await this.#options.list()));
  }

  #open = (id: string) => {
    // The rest of the address is of the run that it names.
    const state = viewState();
    setViewState({ ...(state.run === id ? state : {}), run: id });
    this.#shown = id;
    this.#isOver = false;
    this.#state = '';
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

  async #showOnce(id: string) {
    const { read, runOf, show } = this.#options;
    try {
      const answer = await read(id);
      if (this.#shown !== id) return;
      const { state } = runOf(answer);
      this.#isOver = isRunOver({ state });
      this.#detail.replaceChildren(...show(answer, this.#isOver));
      if (state === this.#state) return;
      this.#state = state;
      await this.#refresh();
    } catch (error) {
      if (this.#shown === id) this.#detail.replaceChildren(problem(error));
    }
  }

  #rows({ items }: View): readonly Node[] {
    const { listTitle, columns, below } = this.#options;
    if (items.length === 0) return [];
    type Row = View['items'][number];
    const startedMs = (row: Row) => 1000 * row.started_unix_s;
    const all: Column<Row>[] = [
      {
        title: 'Started',
        value: (row) => new Date(startedMs(row)).toISOString(),
        cell: (row) => timeElement(startedMs(row)),
      },
      ...columns,
      { title: 'By', value: ({ actor }) => actor },
      { title: 'State', value: ({ state }) => state, cell: stateBadge },
      { title: 'Result', value: ({ id }) => id, cell: ({ id }) => this.#viewButton(id) },
    ];
    return [card(listTitle, table(listTitle, all, items)), ...(below?.(items) ?? [])];
  }

  #viewButton(id: string) {
    const onclick = () => this.#open(id);
    return el('button', { className: 'plain', textContent: 'View', onclick });
  }
}

const STATES: Record<AnyRun['state'], 'ok' | 'warn' | 'crit' | 'info'> = {
  intent: 'info',
  active: 'info',
  reverting: 'warn',
  stuck: 'crit',
  done: 'ok',
  failed: 'crit',
  cancelled: 'warn',
  reverted: 'warn',
};

export function stateBadge({ state }: Pick<AnyRun, 'state'>) {
  return badge(state, STATES[state]);
}

/**
 * The first lines of a run that is shown: its state, what it is, who started it and when, a button
 * that cancels it while it goes on, and what it failed of.
 *
 * @param text what it is about
 * @param actions more buttons, before the one that cancels
 */
export function runHead(run: AnyRun, text: string, ...actions: Node[]): readonly Node[] {
  const { state, actor, error, started_unix_s: started, ended_unix_s: ended } = run;
  const said = el('span', {}, `${text}, by ${actor}, `, timeElement(1000 * started));
  const head = el('div', { className: 'row' }, stateBadge({ state }), said);
  if (ended !== null)
    head.append(el('span', { textContent: `took ${durationText(ended - started)}` }));
  if (!isRunOver(run)) {
    const onclick = () => {
      call('DELETE', `/api/runs/${run.id}`).catch(fail);
    };
    const cancel = el('button', { textContent: 'Cancel', onclick });
    head.append(el('span', { className: 'grow' }), ...actions, cancel);
  }
  if (error === null) return [head];
  return [head, el('p', { className: 'error', textContent: error.message })];
}

/**
 * A form that starts something, and says beside its button what was refused. The URL has its fields.
 *
 * @param content with the button that sends it
 */
export function startForm(content: readonly Node[], send: () => Promise<void>) {
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
