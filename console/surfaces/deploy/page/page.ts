import { $, el } from '../../../ui/dom.js';
import { pageHead, selectTab, setViewState, tabList, viewState } from '../../../ui/parts.js';
import { fail } from '../../../ui/shell.js';
import { HistoryPanel } from './history.js';
import { PlanPanel } from './plan.js';
import { RampPanel } from './ramp.js';
import { RunPanel } from './run.js';
import { SpecPanel } from './spec.js';
import { StatusPanel } from './status.js';
import { show, type Ways } from './views.js';

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
  const panel = el('section', { id: 'deploy-panel', className: 'deploy-panel', role: 'tabpanel' });
  panel.tabIndex = -1;
  const ways: Ways = {
    onPlan: (id) => go('plan', () => plan.open(id)),
    onRun: (id) => go('apply', () => run.open(id)),
    onRamp: (id) => go('ramp', () => ramp.open(id)),
    onPlanWish: (wish) => go('plan', () => plan.make(wish)),
    onRampWish: (wish) => go('ramp', () => ramp.begin(wish)),
  };
  const spec = new SpecPanel(ways);
  const plan = new PlanPanel(ways);
  const run = new RunPanel(ways);
  const ramp = new RampPanel(ways);
  const history = new HistoryPanel(ways);
  const status = new StatusPanel(ways);
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
    selectTab(list, tab);
    work().catch(fail);
  }

  const { tab = 'spec' } = viewState();
  const list = tabList('Deploy', TABS, tab, choose);
  main.append(pageHead(), list, panel);
  choose(tab);
}
