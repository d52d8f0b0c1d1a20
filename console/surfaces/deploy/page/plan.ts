import { ApiFailure, call } from '../../../ui/api.js';
import { el, randomId, shownText } from '../../../ui/dom.js';
import { badge, card, field, input, numberText, setViewState } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import { applyPlan, loadSpec, problemsOf, type Plan, type Wish } from './control.js';
import { actionCard, diffCard } from './plan-files.js';
import { ringCards } from './plan-rings.js';
import { nodesOf, summary, words } from './plan-words.js';
import { warningLine, withTypedCluster } from './typed-cluster.js';
import * as views from './views.js';
import type { SpecProblem as Problem } from '../../../../src/deploy/spec/parse.js';

const REFUSED = ['refused', 'crit'] as const;
/** Warnings of a plan that are told again where it is applied. */
const WARNINGS_ASKED = 5;

/** Plans: what a change would move and break, before it happens. */
export class PlanPanel {
  element = el('div', { className: 'deploy-panel' });
  #place = el('div', { className: 'deploy-panel' });
  #ways;

  constructor(ways: views.Ways) {
    this.#ways = ways;
    this.element.append(this.#place);
  }

  /** @param id of a plan; without one the form to make one is shown */
  open(id = ''): Promise<void> {
    this.#place.replaceChildren();
    return views.show(this.#place, async () => {
      if (id === '') return [await this.#form()];
      return this.#drawn(await call('GET', `/deploy/api/plans/${encodeURIComponent(id)}`));
    });
  }

  /** Makes a plan, and shows it or why there is none. */
  make(wish: Wish): Promise<void> {
    const text = 'Creating a plan: building the rings and comparing them with what is deployed';
    this.#place.replaceChildren(views.workingState(text));
    return views.show(this.#place, async () => {
      try {
        const plan = await call('POST', '/deploy/api/plans', wish);
        setViewState({ tab: 'plan', plan: plan.id });
        return this.#drawn(plan);
      } catch (error) {
        const problems = problemsOf(error);
        if (problems === undefined) throw error;
        return [this.#refused(wish, problems)];
      }
    });
  }

  async #form() {
    const { spec } = await loadSpec();
    if (spec === null) {
      return views.emptyState(
        'git-compare',
        'Nothing to plan',
        'Describe the cluster and save the specification first.',
      );
    }
    const seed = input('seed', { type: 'number', min: '0', max: '4294967295', step: '1' });
    seed.value = '1';
    const large = views.checkbox('allow_large');
    const form = el(
      'form',
      { className: 'deploy-choose' },
      field('Seed', seed, 'the same seed gives the same plan'),
      views.check(large, 'Allow large changes'),
      el('button', { className: 'primary', textContent: 'Create a plan' }),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.make({ seed: Number(seed.value), ...(large.checked ? { allow_large: true } : {}) });
    });
    const text = `A plan compares the saved specification of ${shownText(spec.cluster)} with what is currently deployed. Creating a plan changes nothing.`;
    return card('Create a plan', el('p', { textContent: text }), form);
  }

  #refused(wish: Wish, errors: readonly Problem[]) {
    const isLarge = errors.length > 0 && errors.every(({ code }) => code === 'needs_allow_large');
    const again = views.wayButton({ text: 'Back', work: () => this.open() });
    const allow = views.wayButton({
      text: 'Plan anyway',
      work: () => this.make({ ...wish, allow_large: true }),
      danger: true,
    });
    const made = card(
      'Change rejected',
      el('p', {
        textContent: isLarge
          ? 'The change would lose replicas or move too much at once. A plan only shows the effect. Nothing changes until you apply it.'
          : 'A plan cannot be created from this specification.',
      }),
      el(
        'ul',
        { className: 'deploy-reasons' },
        ...errors.map(({ path, message, code }) => {
          const [kind, look] =
            code === 'needs_allow_large' ? (['large', 'warn'] as const) : REFUSED;
          return views.reason(kind, look, message, el('code', { textContent: shownText(path) }));
        }),
      ),
      el('div', { className: 'row' }, again, ...(isLarge ? [allow] : [])),
    );
    made.role = 'alert';
    return made;
  }

  #drawn(plan: Plan): readonly Node[] {
    if (plan.empty && (plan.unsettled ?? []).length === 0) {
      const again = { text: 'Create another plan', work: () => this.open() };
      const text = 'Rings and files already match the specification.';
      return [views.emptyState('circle-check', 'No changes to apply', text, again)];
    }
    const failed = plan.checks.some(({ state }) => state === 'failed');
    const isExpired = 1000 * plan.expires_unix_s < Date.now();
    const apply = views.wayButton({ text: 'Apply…', work: () => this.#apply(plan), primary: true });
    apply.disabled = failed || isExpired;
    const { spec_etag: etag, allow_large: allowLarge } = plan;
    const ramp = views.wayButton({
      text: 'Ramp…',
      work: () => this.#ways.onRampWish({ spec_etag: etag, allow_large: allowLarge }),
    });
    ramp.title = 'Apply this plan and its follow-up plans, each after the cluster has settled';
    const ready = isExpired ? badge('expired', 'warn') : badge('ready', 'ok');
    return [
      views.bar(
        failed ? badge('rejected by Swift', 'crit') : ready,
        el('span', {}, 'Plan ', views.hash(plan.sha256)),
        views.quiet('created ', timeElement(1000 * plan.created_unix_s), `, seed ${plan.seed}`),
        ...(allowLarge ? [badge('large changes allowed', 'warn')] : []),
        views.gap(),
        views.wayButton(this.#anew(plan)),
        ...(plan.complete ? [] : [ramp]),
        apply,
      ),
      card('Summary', summary(plan), ...words(plan)),
      ...ringCards(plan),
      diffCard(plan),
      actionCard(plan),
    ];
  }

  /** Another plan of the same wish. */
  #anew({ spec_etag: etag, seed, allow_large: large }: Plan) {
    const wish = { spec_etag: etag, seed, allow_large: large };
    return { text: 'Create new plan', work: () => this.make(wish) };
  }

  async #apply(plan: Plan) {
    const moves = plan.ring_changes.reduce((sum, { parts_moved: moved }) => sum + moved, 0);
    const text = `This moves ${numberText(moves)} partition replicas and replaces files on ${nodesOf(plan).length} nodes, one zone at a time. You can cancel the run between nodes.`;
    // One key for one wish: if the answer is lost, a second press does not begin a second run.
    const key = randomId();
    const { made: run, problem } = await withTypedCluster(
      {
        title: (cluster) => `Apply the plan to ${cluster}`,
        nodes: [
          el('p', { textContent: text }),
          ...plan.warnings.slice(0, WARNINGS_ASKED).map(warningLine),
        ],
        okText: 'Apply',
      },
      (cluster) => applyPlan(plan, cluster, key),
    );
    if (run !== undefined) this.#ways.onRun(run);
    else if (problem !== undefined) this.#notApplied(plan, problem);
  }

  #notApplied(plan: Plan, error: unknown) {
    const code = error instanceof ApiFailure ? error.code : '';
    const holder = error instanceof ApiFailure ? error.details.run_id : undefined;
    const back = { text: 'Back to the plan', work: () => this.open(plan.id) };
    const replan = { ...this.#anew(plan), primary: true };
    const ways =
      code === 'locked' && typeof holder === 'string'
        ? [back, { text: 'View run', work: () => this.#ways.onRun(holder), primary: true }]
        : ['plan_stale', 'not_found', 'precondition_failed'].includes(code)
          ? [back, replan]
          : [back];
    const reasons = problemsOf(error) ?? [];
    this.#place.replaceChildren(
      el(
        'div',
        { className: 'card' },
        views.failureState(error, ...ways),
        el(
          'ul',
          {},
          ...reasons.map(({ path, message }) =>
            el('li', { textContent: shownText(`${path} ${message}`) }),
          ),
        ),
      ),
    );
  }
}
