import { $, el } from '../../../ui/dom.js';
import { pageHead, setViewState, tabList, viewState } from '../../../ui/parts.js';
import { fail } from '../../../ui/shell.js';
import { show } from './control.js';
import { HistoryPanel } from './history.js';
import { PlanPanel } from './plan.js';
import { RampPanel } from './ramp.js';
import { RunPanel } from './run.js';
import { SpecPanel } from './spec.js';
import { StatusPanel } from './status.js';

type Tab = 'spec' | 'plan' | 'apply' | 'ramp' | 'history' | 'status';

const TABS: readonly { id: Tab; title: string }[] = [
  { id: 'spec', title: 'Specification' },
  { id: 'plan', title: 'Plan' },
  { id: 'apply', title: 'Apply' },
  { id: 'ramp', title: 'Ramp' },
  { id: 'history', title: 'History' },
  { id: 'status', title: 'Status' },
];

/** Shows the steps from a specification to a cluster, each in a tab of its own. */
export async function mount() {
  const main = $('#main');
  main.classList.add('deploy-page');
  const panel = el('section', { id: 'deploy-panel', className: 'deploy-panel', tabIndex: -1 });
  panel.setAttribute('role', 'tabpanel');
  const spec = new SpecPanel(() => go('plan', () => plan.make({})));
  const plan = new PlanPanel(
    (id) => setViewState({ tab: 'plan', plan: id }),
    (id) => go('apply', () => run.open(id)),
    (wish) => go('ramp', () => ramp.begin(wish)),
  );
  const run = new RunPanel(
    (id) => setViewState({ tab: 'apply', run: id }),
    (wish) => go('plan', () => plan.make(wish)),
  );
  const ramp = new RampPanel({
    onRamp: (id) => setViewState({ tab: 'ramp', ramp: id }),
    onRun: (id) => go('apply', () => run.open(id)),
  });
  const history = new HistoryPanel({
    onRun: (id) => go('apply', () => run.open(id)),
    onPlan: (id) => go('plan', () => plan.open(id)),
    onBack: (wish) => go('plan', () => plan.make(wish)),
  });
  const status = new StatusPanel({
    onRun: (id) => go('apply', () => run.open(id)),
    onRamp: (id) => go('ramp', () => ramp.open(id)),
    onRepair: () => go('plan', () => plan.make({ repair: true })),
  });
  const panels = { spec, plan, apply: run, ramp, history, status };
  const specPlace = el('div', { className: 'deploy-panel' });

  const open: Record<Tab, () => Promise<unknown>> = {
    spec: () =>
      show(specPlace, async () => {
        await spec.open();
        return [spec.element];
      }),
    plan: () => plan.open(viewState().plan),
    apply: () => run.open(viewState().run),
    ramp: () => ramp.open(viewState().ramp),
    history: () => history.open(),
    status: () => status.open(),
  };
  const choose = (id: string) => {
    const tab = TABS.find((one) => one.id === id)?.id ?? 'spec';
    go(tab, open[tab]);
  };
  /** @param work that fills its panel */
  function go(tab: Tab, work: () => Promise<unknown>) {
    if (tab !== 'apply') run.close();
    if (tab !== 'ramp') ramp.close();
    if (viewState().tab !== tab) setViewState({ tab });
    panel.replaceChildren(tab === 'spec' ? specPlace : panels[tab].element);
    panel.setAttribute('aria-labelledby', `tab-${tab}`);
    for (const one of list.querySelectorAll('[role="tab"]')) {
      const isChosen = one.id === `tab-${tab}`;
      one.setAttribute('aria-selected', String(isChosen));
      (one as HTMLElement).tabIndex = isChosen ? 0 : -1;
    }
    work().catch(fail);
  }

  const { tab = 'spec' } = viewState();
  const list = tabList('Deploy', TABS, tab, choose);
  main.append(pageHead(), list, panel);
  choose(tab);
}
