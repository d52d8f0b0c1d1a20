import { call } from '../../js/api.js';
import { confirmed, el, shownText } from '../../js/dom.js';
import { fail } from '../../js/shell.js';
import { badge, card } from '../../js/parts.js';
import { timeElement } from '../../js/times.js';
import { emptyState, failureState, operators, show, shortHash, wayButton } from './control.js';
import { LOOKS, nodeCards, staged } from './run-nodes.js';

/**
 * @typedef {import('./control.js').Run} Run
 * @typedef {import('./control.js').Step} Step
 */

const RETRY_MS = 3000;

/** A run: its nodes, its log as it is written, and what is left to the operator. */
export class RunPanel {
  element = el('div', { className: 'deploy-panel' });
  /** @type {EventSource | undefined} */
  #events;
  /** @type {Run | undefined} */
  #run;
  /** @type {Readonly<Record<string, string>>} */
  #people = {};
  #nodes = el('div', { className: 'deploy-nodes' });
  #log = el('div', { className: 'deploy-log', tabIndex: 0 });
  #logged = new Set();
  #link = el('span', { className: 'quiet', role: 'status' });
  #onRun;
  #onPlan;

  /**
   * @param {(id: string) => void} onRun called when another run is shown
   * @param {(wish: { spec_etag: string }) => void} onPlan called when a plan is wanted
   */
  constructor(onRun, onPlan) {
    this.#onRun = onRun;
    this.#onPlan = onPlan;
    this.#log.setAttribute('role', 'log');
    this.#log.setAttribute('aria-label', 'Log of the run');
  }

  /** @param {string} [id] of a run; by default the one under way, or the latest */
  async open(id = '') {
    this.close();
    this.element.replaceChildren();
    await show(this.element, async () => {
      const wanted = id === '' ? await latest() : id;
      if (wanted === '') {
        return [
          emptyState(
            'play',
            'Nothing was applied yet',
            'Make a plan, look at it, and apply it: its run is shown here.',
          ),
        ];
      }
      const run = await call('GET', `/deploy/api/runs/${encodeURIComponent(wanted)}`);
      this.#people = await operators();
      this.#onRun(wanted);
      this.#begin(run);
      return this.#drawn(run);
    });
  }

  /** Follows no run any more. */
  close() {
    this.#events?.close();
    this.#events = undefined;
    this.#run = undefined;
  }

  /** @param {Run} run */
  #begin(run) {
    this.#run = run;
    this.#logged = new Set();
    this.#log.replaceChildren();
    this.#hear(run);
    if (run.state === 'running') this.#follow(run.id);
  }

  /** @param {string} id */
  #follow(id) {
    const events = new EventSource(`/deploy/api/runs/${encodeURIComponent(id)}/events`);
    this.#events = events;
    events.addEventListener('open', () => {
      this.#link.textContent = '';
    });
    events.addEventListener('run', ({ data }) => {
      const run = /** @type {Run} */ (JSON.parse(data));
      const isOver = run.state !== 'running';
      if (isOver) events.close();
      this.#hear(run);
      if (isOver) this.element.replaceChildren(...this.#drawn(run));
    });
    events.addEventListener('step', ({ data }) => {
      const { index, ...step } = /** @type {Step & { index: number }} */ (JSON.parse(data));
      const run = this.#run;
      if (run === undefined || run.steps[index] === undefined) return;
      run.steps[index] = step;
      this.#hear(run);
    });
    events.addEventListener('error', () => {
      if (this.#events !== events) return;
      this.#link.textContent = 'The connection is lost; the run goes on. Trying again…';
      // The browser tries again by itself, unless the answer was a refusal.
      if (events.readyState !== EventSource.CLOSED) return;
      setTimeout(() => {
        if (this.#events === events) void this.#again(id);
      }, RETRY_MS);
    });
  }

  /** @param {string} id */
  async #again(id) {
    try {
      const run = await call('GET', `/deploy/api/runs/${encodeURIComponent(id)}`, undefined, true);
      this.#hear(run);
      if (run.state === 'running') this.#follow(id);
      else this.element.replaceChildren(...this.#drawn(run));
    } catch {
      setTimeout(() => {
        if (this.#run?.id === id) void this.#again(id);
      }, RETRY_MS);
    }
  }

  /** @param {Run} run as it is now */
  #hear(run) {
    this.#run = run;
    this.#nodes.replaceChildren(...nodeCards(run));
    for (const [index, step] of run.steps.entries()) {
      const { state } = step;
      // A page that is loaded again has the log from the times that steps have.
      if (step.started_unix_s !== null)
        this.#say(`${index}/begun`, step.started_unix_s, step, 'begun', '');
      if (step.ended_unix_s !== null)
        this.#say(`${index}/${state}`, step.ended_unix_s, step, state, step.message);
    }
    const bar = this.element.querySelector('progress');
    if (bar !== null) bar.value = doneOf(run);
  }

  /**
   * @param {string} key
   * @param {number} unixS
   * @param {Step} step
   * @param {string} what
   * @param {string} message
   */
  #say(key, unixS, { node, action }, what, message) {
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    const time = new Date(1000 * unixS);
    const line = el(
      'div',
      {},
      el('time', { dateTime: time.toISOString(), textContent: time.toLocaleTimeString() }),
      el('strong', { textContent: shownText(node) }),
      el('span', { textContent: `${action}: ${what}` }),
      el('span', { className: 'quiet', textContent: shownText(message) }),
    );
    line.dataset.state = LOOKS[what] ?? '';
    const isAtEnd = this.#log.scrollTop + this.#log.clientHeight >= this.#log.scrollHeight - 8;
    this.#log.append(line);
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }

  /** @param {Run} run */
  #drawn(run) {
    const isRunning = run.state === 'running';
    const bar = el('progress', { max: Math.max(1, run.steps.length), value: doneOf(run) });
    bar.setAttribute('aria-label', 'Steps done');
    const cancel = wayButton({ text: 'Cancel', work: () => this.#cancel(run) });
    return [
      el(
        'div',
        { className: 'card deploy-bar' },
        badge(run.state, LOOKS[run.state] ?? ''),
        el(
          'span',
          {},
          'Run of plan ',
          el('a', {
            href: `?tab=plan&plan=${encodeURIComponent(run.plan_id)}`,
            textContent: shortHash(run.plan_sha256),
          }),
        ),
        el(
          'span',
          { className: 'quiet' },
          `by ${shownText(this.#people[run.id] ?? run.actor)}, begun `,
          timeElement(1000 * run.created_unix_s),
        ),
        this.#link,
        el('span', { className: 'grow' }),
        ...(isRunning ? [bar, cancel] : []),
      ),
      ...this.#outcome(run),
      card('Nodes', this.#nodes),
      ...staged(run),
      card(
        'Log',
        run.steps.length === 0
          ? el('p', { textContent: 'The plan has no step on a node.' })
          : this.#log,
      ),
    ];
  }

  /** @param {Run} run */
  #outcome(run) {
    if (run.message === '' && run.state !== 'partial') return [];
    const failed = run.steps.filter(({ state }) => state === 'failed');
    const open = run.steps.filter(
      ({ action, state }) => action === 'install' && state !== 'succeeded',
    );
    const advice =
      run.state === 'partial' || run.state === 'failed'
        ? `${open.length === 1 ? '1 node does' : `${open.length} nodes do`} not have all files. Repair what failed, and plan again: nodes that have their files are left alone.`
        : 'What was done stays. Plan again to go on, or an earlier specification to go back.';
    const made = el(
      'div',
      { className: 'card deploy-outcome' },
      el('h2', {
        textContent:
          run.state === 'partial'
            ? 'Some nodes have the new files, others do not'
            : shownText(run.message),
      }),
      ...(run.state === 'partial' ? [el('p', { textContent: shownText(run.message) })] : []),
      el('p', { textContent: advice }),
      el(
        'div',
        { className: 'row' },
        wayButton({
          text: failed.length > 0 ? 'Retry the nodes that are left' : 'Plan again',
          work: () => this.#onPlan({ spec_etag: run.spec_etag }),
          primary: true,
        }),
      ),
    );
    made.dataset.state = LOOKS[run.state] ?? '';
    made.setAttribute('role', 'status');
    return [made];
  }

  /** @param {Run} run */
  async #cancel(run) {
    const text = 'The step that is under way ends first. Nodes that have the new files keep them.';
    if (!(await confirmed('Cancel the run', text, 'Cancel the run', { danger: true }))) return;
    try {
      await call('POST', `/deploy/api/runs/${run.id}/cancel`);
      this.#link.textContent = 'The run ends after the step that is under way.';
    } catch (error) {
      if (this.#run?.state === 'running') this.element.prepend(failureState(error));
      else fail(error);
    }
  }
}

/** @returns {Promise<string>} the id of the run under way, or of the latest; empty for none */
async function latest() {
  const { runs } = await call('GET', '/deploy/api/history');
  return (runs.find(({ state }) => state === 'running') ?? runs[0])?.id ?? '';
}

/** @param {Run} run */
function doneOf({ steps }) {
  return steps.filter(({ state }) => state !== 'pending' && state !== 'running').length;
}
