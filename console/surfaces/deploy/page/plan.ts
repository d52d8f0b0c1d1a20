import { ApiFailure, call } from '../../../ui/api.js';
import { el, randomId, shownText } from '../../../ui/dom.js';
import { badge, card, field, input, numberText } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import {
  applyPlan,
  emptyState,
  failureState,
  problemsOf,
  loadSpec,
  makePlan,
  show,
  shortHash,
  wayButton,
  workingState,
} from './control.js';
import { actionCard, diffCard } from './plan-files.js';
import { ringCards } from './plan-rings.js';
import { nodesOf, summary, words } from './plan-words.js';
import { warningLine, withTypedCluster } from './typed-cluster.js';
import type { SpecProblem as Problem } from '../../../../src/deploy/spec/parse.js';
import type { Plan } from './control.js';

interface Wish {
  spec_etag?: string;
  seed?: number;
  allow_large?: boolean;
  repair?: boolean;
}

/** Warnings of a plan that are told again where it is applied. */
const WARNINGS_ASKED = 5;

/** Plans: what a change would move and break, before it happens. */
export class PlanPanel {
  element = el('div', { className: 'deploy-panel' });
  #place = el('div', { className: 'deploy-panel' });
  #onPlan;
  #onRun;
  #onRamp;

  /**
   * @param onPlan called when another plan is shown
   * @param onRun called when a run is to be shown
   * @param onRamp called when the specification of a plan is to be applied step by step
   */
  constructor(
    onPlan: (id: string) => void,
    onRun: (id: string) => void,
    onRamp: (wish: { spec_etag: string; allow_large: boolean }) => void,
  ) {
    this.#onPlan = onPlan;
    this.#onRun = onRun;
    this.#onRamp = onRamp;
    this.element.append(this.#place);
  }

  /** @param id of a plan; without one the form to make one is shown */
  open(id = ''): Promise<void> {
    this.#place.replaceChildren();
    return show(this.#place, async () => {
      if (id === '') return [await this.#form()];
      return this.#drawn(await call('GET', `/deploy/api/plans/${encodeURIComponent(id)}`));
    });
  }

  /** Makes a plan, and shows it or why there is none. */
  make(wish: Wish): Promise<void> {
    const text = 'Creating a plan: building the rings and comparing them with what is deployed';
    this.#place.replaceChildren(workingState(text));
    return show(this.#place, async () => {
      try {
        const plan = await makePlan(wish);
        this.#onPlan(plan.id);
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
      return emptyState(
        'git-compare',
        'Nothing to plan',
        'Describe the cluster and save the specification first.',
      );
    }
    const seed = input('seed', {
      type: 'number',
      min: '0',
      max: '4294967295',
      step: '1',
      value: '1',
    });
    const large = el('input', { type: 'checkbox', name: 'allow_large' });
    const form = el(
      'form',
      { className: 'deploy-choose' },
      field('Seed', seed, 'the same seed gives the same plan'),
      el('label', { className: 'check' }, large, 'Allow large changes'),
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
    const again = wayButton({ text: 'Back', work: () => this.open() });
    const allow = wayButton({
      text: 'Plan anyway',
      work: () => this.make({ ...wish, allow_large: true }),
    });
    allow.classList.add('danger');
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
        ...errors.map(({ path, message, code }) =>
          el(
            'li',
            {},
            badge(
              code === 'needs_allow_large' ? 'large' : 'refused',
              code === 'needs_allow_large' ? 'warn' : 'crit',
            ),
            el('span', { textContent: shownText(message) }),
            el('code', { textContent: shownText(path) }),
          ),
        ),
      ),
      el('div', { className: 'row' }, again, ...(isLarge ? [allow] : [])),
    );
    made.setAttribute('role', 'alert');
    return made;
  }

  #drawn(plan: Plan): readonly Node[] {
    if (plan.empty && (plan.unsettled ?? []).length === 0) {
      return [
        emptyState(
          'circle-check',
          'No changes to apply',
          'Rings and files already match the specification.',
          {
            text: 'Create another plan',
            work: () => this.open(),
          },
        ),
      ];
    }
    const failed = plan.checks.some(({ state }) => state === 'failed');
    const apply = wayButton({ text: 'Apply…', work: () => this.#apply(plan), primary: true });
    apply.disabled = failed || 1000 * plan.expires_unix_s < Date.now();
    const again = wayButton({
      text: 'Create new plan',
      work: () =>
        this.make({ spec_etag: plan.spec_etag, seed: plan.seed, allow_large: plan.allow_large }),
    });
    const { spec_etag: etag, allow_large: allowLarge } = plan;
    const ramp = wayButton({
      text: 'Ramp…',
      work: () => this.#onRamp({ spec_etag: etag, allow_large: allowLarge }),
    });
    ramp.title = 'Apply this plan and its follow-up plans, each after the cluster has settled';
    const state = failed
      ? badge('rejected by Swift', 'crit')
      : 1000 * plan.expires_unix_s < Date.now()
        ? badge('expired', 'warn')
        : badge('ready', 'ok');
    return [
      el(
        'div',
        { className: 'card deploy-bar' },
        state,
        el(
          'span',
          {},
          'Plan ',
          el('code', { textContent: shortHash(plan.sha256), title: plan.sha256 }),
        ),
        el(
          'span',
          { className: 'quiet' },
          'created ',
          timeElement(1000 * plan.created_unix_s),
          `, seed ${plan.seed}`,
        ),
        ...(plan.allow_large ? [badge('large changes allowed', 'warn')] : []),
        el('span', { className: 'grow' }),
        again,
        ...(plan.complete ? [] : [ramp]),
        apply,
      ),
      card('Summary', summary(plan), ...words(plan)),
      ...ringCards(plan),
      diffCard(plan),
      actionCard(plan),
    ];
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
    if (run !== undefined) this.#onRun(run);
    else if (problem !== undefined) this.#notApplied(plan, problem);
  }

  #notApplied(plan: Plan, error: unknown) {
    const code = error instanceof ApiFailure ? error.code : '';
    const holder = error instanceof ApiFailure ? error.details.run_id : undefined;
    const back = { text: 'Back to the plan', work: () => this.open(plan.id) };
    const replan = {
      text: 'Create new plan',
      work: () =>
        this.make({ spec_etag: plan.spec_etag, seed: plan.seed, allow_large: plan.allow_large }),
      primary: true,
    };
    const ways =
      code === 'locked' && typeof holder === 'string'
        ? [back, { text: 'View run', work: () => this.#onRun(holder), primary: true }]
        : ['plan_stale', 'not_found', 'precondition_failed'].includes(code)
          ? [back, replan]
          : [back];
    const reasons = problemsOf(error) ?? [];
    this.#place.replaceChildren(
      el(
        'div',
        { className: 'card' },
        failureState(error, ...ways),
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
