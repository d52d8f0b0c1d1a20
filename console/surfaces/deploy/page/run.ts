import { timeAt } from '../../../ui/clock.js';
import { call } from '../../../ui/api.js';
import { confirmed, el, randomId, shownText } from '../../../ui/dom.js';
import { fail } from '../../../ui/shell.js';
import { badge, card, setViewState } from '../../../ui/parts.js';
import { operators, retryRun, type Run } from './control.js';
import { follow } from './follow.js';
import { filesCard } from './run-files.js';
import { canRetry, LOOKS, nodeCards, staged } from './run-nodes.js';
import * as views from './views.js';
import type { Step } from '../../../../src/deploy/service/run-record.js';

/** A run: its nodes, its log as it is written, and what is left to the operator. */
export class RunPanel {
  element = el('div', { className: 'deploy-panel' });
  #following: ReturnType<typeof follow> | undefined;
  #run: Run | undefined;
  #people: Readonly<Record<string, string>> = {};
  #nodes = el('div', { className: 'deploy-nodes' });
  #log = el('div', { className: 'deploy-log', tabIndex: 0, role: 'log', ariaLabel: 'Run log' });
  #logged = new Set();
  #link = el('span', { className: 'quiet', role: 'status' });
  /** The steps left to the operator, as far as they are known; and those that it was drawn from. */
  #staged = el('div', { className: 'deploy-panel' });
  #stagedOf = '';
  #ways;

  constructor(ways: views.Ways) {
    this.#ways = ways;
  }

  /** @param id of a run; by default the one under way, or the latest */
  async open(id = '') {
    this.close();
    this.element.replaceChildren();
    await views.show(this.element, async () => {
      const wanted = id === '' ? await latest() : id;
      if (wanted === '') {
        const text = 'Create, review and apply a plan. Its run appears here.';
        return [views.emptyState('play', 'No plan has been applied yet', text)];
      }
      const run = await call('GET', `/deploy/api/runs/${encodeURIComponent(wanted)}`);
      this.#people = await operators();
      setViewState({ tab: 'apply', run: wanted });
      this.#begin(run);
      return this.#drawn(run);
    });
  }

  /** Follows no run any more. */
  close() {
    this.#following?.close();
    this.#following = undefined;
  }

  #begin(run: Run) {
    this.#run = run;
    this.#logged = new Set();
    this.#log.replaceChildren();
    this.#staged.replaceChildren();
    this.#stagedOf = '';
    this.#link.textContent = '';
    this.#hear(run);
    if (run.state === 'running') this.#follow(run.id);
  }

  #follow(id: string) {
    const whole = (run: Run) => {
      const isOver = run.state !== 'running';
      this.#hear(run);
      if (isOver) {
        this.close();
        this.element.replaceChildren(...this.#drawn(run));
      }
      return !isOver;
    };
    this.#following = follow({
      url: `/deploy/api/runs/${id}/events`,
      events: {
        run: whole,
        step: ({ index, ...step }: Step & { index: number }) => {
          const run = this.#run;
          if (run?.steps[index] === undefined) return;
          run.steps[index] = step;
          this.#hear(run);
        },
      },
      ask: async () => whole(await call('GET', `/deploy/api/runs/${id}`, undefined, true)),
      link: this.#link,
    });
  }

  /** @param run as it is now */
  #hear(run: Run) {
    this.#run = run;
    this.#nodes.replaceChildren(...nodeCards(run, (node) => this.#retry(run, node)));
    for (const [index, step] of run.steps.entries()) {
      const { state } = step;
      // A page that is loaded again has the log from the times that steps have.
      if (step.started_unix_s !== null)
        this.#say(`${index}/begun`, step.started_unix_s, step, 'started', '');
      if (step.ended_unix_s !== null)
        this.#say(`${index}/${state}`, step.ended_unix_s, step, state, step.message);
    }
    const { steps } = run;
    const left = steps.flatMap(({ state }, at) => (state === 'staged' ? [at] : [])).join();
    if (left !== this.#stagedOf) this.#staged.replaceChildren(...staged(run));
    this.#stagedOf = left;
    const bar = this.element.querySelector('progress');
    if (bar !== null) bar.value = doneOf(run);
  }

  #say(key: string, unixS: number, { node, action }: Step, what: string, message: string) {
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    const time = new Date(1000 * unixS);
    const line = el(
      'div',
      {},
      el('time', { dateTime: time.toISOString(), textContent: timeAt(unixS, 'second') }),
      el('strong', { textContent: shownText(node) }),
      el('span', { textContent: `${action}: ${what}` }),
      views.quiet(shownText(message)),
    );
    line.dataset.state = LOOKS[what] ?? '';
    const isAtEnd = this.#log.scrollTop + this.#log.clientHeight >= this.#log.scrollHeight - 8;
    this.#log.append(line);
    if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #drawn(run: Run) {
    const isRunning = run.state === 'running';
    const bar = el('progress', { max: Math.max(1, run.steps.length), value: doneOf(run) });
    bar.ariaLabel = 'Completed steps';
    const cancel = views.wayButton({ text: 'Cancel', work: () => this.#cancel(run) });
    return [
      views.bar(
        badge(run.state, LOOKS[run.state] ?? ''),
        el(
          'span',
          {},
          'Run of plan ',
          linkTo('plan', 'plan', run.plan_id, views.shortHash(run.plan_sha256)),
        ),
        views.begunBy(this.#actorOf(run), run.created_unix_s),
        ...origins(run),
        this.#link,
        views.gap(),
        ...(isRunning ? [bar, cancel] : []),
      ),
      ...this.#outcome(run),
      card('Nodes', this.#nodes),
      this.#staged,
      ...(isRunning ? [] : [filesCard(run)]),
      card(
        'Log',
        run.steps.length === 0
          ? el('p', { textContent: 'The plan has no steps on nodes.' })
          : this.#log,
      ),
    ];
  }

  #actorOf({ id, ramp, actor }: Run) {
    return this.#people[id] ?? this.#people[ramp?.id ?? ''] ?? actor;
  }

  #outcome(run: Run) {
    if (run.message === '' && run.state !== 'partial') return [];
    const open = run.steps.filter(
      ({ action, state }) => action === 'install' && state !== 'succeeded',
    );
    const advice =
      run.state === 'partial' || run.state === 'failed'
        ? `${open.length === 1 ? '1 node is' : `${open.length} nodes are`} missing files. Fix the cause and retry. Nodes that already have their files are skipped.`
        : 'Completed steps are kept. Retry the remaining steps, or plan an earlier specification to roll back.';
    const mayRetry = canRetry(run);
    const retry = {
      text: 'Retry remaining nodes',
      work: () => this.#retry(run, null),
      primary: true,
    };
    const ways = [...(mayRetry ? [retry] : []), this.#replan(run, !mayRetry)];
    const isPart = run.state === 'partial';
    return [
      views.outcome(
        LOOKS[run.state] ?? '',
        isPart ? 'Only some nodes have the new files' : run.message,
        ...(isPart ? [el('p', { textContent: shownText(run.message) })] : []),
        el('p', { textContent: advice }),
        el('div', { className: 'row' }, ...ways.map(views.wayButton)),
      ),
    ];
  }

  #replan({ spec_etag: etag }: Run, primary: boolean) {
    const work = () => this.#ways.onPlanWish({ spec_etag: etag });
    return { text: 'Create new plan', work, primary };
  }

  /** @param node null for all that are left */
  async #retry(run: Run, node: string | null) {
    const title = node === null ? 'Retry remaining nodes' : `Retry ${shownText(node)}`;
    const text =
      "A new run installs the same plan's files. Nodes that already have them are skipped, and no new plan is created.";
    if (!(await confirmed(title, text, 'Retry'))) return;
    try {
      await this.open(await retryRun(run.id, node, randomId()));
    } catch (error) {
      views.tellFailure(this.element, error, this.#replan(run, true));
    }
  }

  async #cancel(run: Run) {
    const text =
      'The current step finishes first. Nodes that already have the new files keep them.';
    if (!(await confirmed('Cancel run', text, 'Cancel run', { danger: true }))) return;
    try {
      await call('POST', `/deploy/api/runs/${run.id}/cancel`);
      this.#link.textContent = 'The run stops after the current step.';
    } catch (error) {
      if (this.#run?.state === 'running') this.element.prepend(views.failureState(error));
      else fail(error);
    }
  }
}

/** The ramp and the run that a run belongs to. */
function origins({ ramp, retry_of: retried }: Run) {
  return [
    ...(ramp ? [linkTo('ramp', 'ramp', ramp.id, `Ramp step ${ramp.step}`)] : []),
    ...(retried ? [linkTo('apply', 'run', retried, 'Retry of an earlier run')] : []),
  ];
}

/** @param kind what the tab shows: a plan, a ramp or a run */
function linkTo(tab: string, kind: string, id: string, textContent: string) {
  return el('a', { href: `?tab=${tab}&${kind}=${encodeURIComponent(id)}`, textContent });
}

/** @returns the id of the run under way, or of the latest; empty for none */
async function latest(): Promise<string> {
  const { runs } = await call('GET', '/deploy/api/history');
  return (runs.find(({ state }) => state === 'running') ?? runs[0])?.id ?? '';
}

function doneOf({ steps }: Run) {
  return steps.filter(({ state }) => state !== 'pending' && state !== 'running').length;
}
