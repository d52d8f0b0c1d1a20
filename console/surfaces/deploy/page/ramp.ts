import { call } from '../../../ui/api.js';
import { confirmed, el, randomId, shownText } from '../../../ui/dom.js';
import { badge, card, setViewState, table } from '../../../ui/parts.js';
import { beginRamp, loadSpec, operators, type Wish } from './control.js';
import { follow } from './follow.js';
import { BADGES, gatesCard, progressCard, stopped } from './ramp-views.js';
import { withTypedCluster } from './typed-cluster.js';
import * as views from './views.js';
import type { Ramp } from '../../../../src/deploy/service/ramp-record.js';
import { objectOf, textOf } from './json-values.js';

/** Ramps: one specification by as many plans as it takes, each once the cluster has settled. */
export class RampPanel {
  element = el('div', { className: 'deploy-panel' });
  #live = el('div', { className: 'deploy-panel' });
  #figures = el('div', { className: 'deploy-panel' });
  /** The state that the buttons were drawn for. */
  #stands = '';
  #link = el('span', { className: 'quiet', role: 'status' });
  #following: ReturnType<typeof follow> | undefined;
  #people: Readonly<Record<string, string>> = {};
  #all: readonly Ramp[] = [];
  #ways;

  constructor(ways: views.Ways) {
    this.#ways = ways;
  }

  /** @param id of a ramp; by default the one that is not over, or the latest */
  async open(id = '') {
    this.close();
    this.element.replaceChildren();
    await views.show(this.element, async () => {
      const [{ ramps }, people] = await Promise.all([
        call('GET', '/deploy/api/ramps'),
        operators(),
      ]);
      this.#all = ramps;
      this.#people = people;
      const active = ramps.find(({ ended_unix_s: ended }) => ended === null);
      const chosen =
        id === ''
          ? (active ?? ramps[0])
          : (ramps.find((ramp) => ramp.id === id) ??
            (await call('GET', `/deploy/api/ramps/${encodeURIComponent(id)}`)));
      const begin = active === undefined ? [await this.#form()] : [];
      if (chosen === undefined) return begin;
      setViewState({ tab: 'ramp', ramp: chosen.id });
      this.#follow(chosen);
      return [this.#live, ...begin, ...this.#others(chosen)];
    });
  }

  /** Follows no ramp any more. */
  close() {
    this.#following?.close();
    this.#following = undefined;
  }

  /** Asks for the name of the cluster, and begins. */
  async begin(wish: Wish) {
    const text =
      'Plans are created and applied one after another without further confirmation. Each starts once min_part_hours has passed, all servers have the latest ring, and replicators have finished a full pass. You can pause the ramp at any time. It stops automatically if the cluster becomes unhealthy.';
    // One key for one wish: if the answer is lost, a second press does not begin a second ramp.
    const key = randomId();
    const { made, problem } = await withTypedCluster(
      {
        title: (cluster) => `Start a ramp for ${cluster}`,
        nodes: [el('p', { textContent: text })],
        okText: 'Start ramp',
      },
      (cluster) => beginRamp(cluster, wish, key),
    );
    if (made !== undefined) await this.open(made);
    else if (problem !== undefined || this.element.childElementCount === 0) await this.open();
    if (problem !== undefined) views.tellFailure(this.element, problem);
  }

  /** The form that begins a ramp. */
  async #form() {
    const { spec } = await loadSpec();
    if (spec === null) {
      const text = 'Describe the cluster and save the specification first.';
      return views.emptyState('trending-up', 'Nothing to ramp', text);
    }
    const large = views.checkbox('allow_large');
    const form = el(
      'form',
      { className: 'deploy-choose' },
      views.check(large, 'Allow large changes'),
      el('button', { className: 'primary', textContent: 'Start ramp…' }),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.begin(large.checked ? { allow_large: true } : {});
    });
    const text = `A ramp applies the saved specification of ${shownText(textOf(spec.cluster))} in as many plans as needed, to change weights by ${shownText(textOf(objectOf(spec.rollout).weight_step_pct, '100'))}% per plan (“Weight per plan” in the specification) or to drain devices.`;
    return card('Start a ramp', el('p', { textContent: text }), form);
  }

  #follow(ramp: Ramp) {
    this.#link.textContent = '';
    this.#stands = '';
    this.#draw(ramp);
    if (ramp.ended_unix_s !== null) return;
    const hear = (now: Ramp) => {
      this.#draw(now);
      const isOver = now.ended_unix_s !== null;
      // Another one can be begun now.
      if (isOver) void this.open(now.id);
      return !isOver;
    };
    this.#following = follow({
      url: `/deploy/api/ramps/${ramp.id}/events`,
      events: { ramp: hear },
      ask: async () => hear(await call('GET', `/deploy/api/ramps/${ramp.id}`, undefined, true)),
      link: this.#link,
    });
  }

  #draw(ramp: Ramp) {
    // News come every few seconds: what can be pressed stays where it is until it is something else.
    const stands = `${ramp.id} ${ramp.state} ${ramp.runs.length}`;
    if (stands !== this.#stands) {
      this.#stands = stands;
      this.#live.replaceChildren(
        this.#bar(ramp),
        ...stopped(ramp),
        this.#figures,
        ...this.#steps(ramp),
      );
    }
    this.#figures.replaceChildren(progressCard(ramp), ...gatesCard(ramp));
  }

  #bar(ramp: Ramp) {
    const steer = (verb: 'pause' | 'resume' | 'cancel') => () => this.#steer(ramp, verb);
    const goesOn =
      ramp.state === 'running'
        ? { text: 'Pause', work: steer('pause') }
        : { text: 'Resume', work: steer('resume'), primary: true };
    const ways = [goesOn, { text: 'End ramp', work: steer('cancel'), danger: true }];
    return views.bar(
      badge(...BADGES[ramp.state]),
      el('span', {}, 'Ramp to specification ', views.hash(ramp.spec_etag)),
      views.begunBy(this.#people[ramp.id] ?? ramp.actor, ramp.created_unix_s),
      ...(ramp.allow_large ? [badge('large changes allowed', 'warn')] : []),
      this.#link,
      views.gap(),
      ...(ramp.ended_unix_s === null ? ways.map(views.wayButton) : []),
    );
  }

  async #steer({ id }: Ramp, verb: 'pause' | 'resume' | 'cancel') {
    const text = 'The current step finishes first. Applied changes are kept.';
    const title = 'End ramp';
    if (verb === 'cancel' && !(await confirmed(title, text, title, { danger: true }))) return;
    views.forgetFailure(this.element);
    try {
      await call('POST', `/deploy/api/ramps/${id}/${verb}`);
    } catch (error) {
      views.tellFailure(this.element, error);
    }
  }

  #steps({ runs }: Ramp) {
    if (runs.length === 0) return [];
    return [
      card(
        'Applied steps',
        el(
          'ol',
          { className: 'deploy-steps' },
          ...runs.map((id, at) => {
            const look = views.wayButton({
              text: 'View run',
              work: () => this.#ways.onRun(id),
              label: `View run of step ${at + 1}`,
            });
            return el('li', {}, el('span', { textContent: `Step ${at + 1}` }), look);
          }),
        ),
      ),
    ];
  }

  #others(shown: Ramp) {
    const others = this.#all.filter(({ id }) => id !== shown.id);
    if (others.length === 0) return [];
    return [
      card(
        'Other ramps',
        table(
          'Ramps',
          [
            views.timeColumn('Started', 'created_unix_s'),
            views.badgeColumn('State', 'state', ({ state }: Ramp) => BADGES[state]),
            { title: 'By', value: (row) => this.#people[row.id] ?? row.actor },
            { title: 'Steps', value: (row) => row.runs.length, number: true },
            { title: 'Message', value: (row) => row.message },
            {
              title: 'Actions',
              value: (row) => row.id,
              cell: (row) => views.wayButton({ text: 'View', work: () => this.open(row.id) }),
            },
          ],
          others,
        ),
      ),
    ];
  }
}
