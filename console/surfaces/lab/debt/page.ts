import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from '../../../server/context.js';
import {
  LIVE,
  type DataSource,
  type LabPage,
  sourceOfError,
  stale,
} from '../ground/data-source.js';
import type { Lab } from '../lab.js';
import type { DebtSnapshot } from './debt-watch.js';

export const DEBT: LabPage = {
  id: 'lab/debt',
  title: 'Repair Debt Index',
  purpose: 'How much repair work the cluster owes, in seconds, and whether it is catching up.',
  path: '/lab/debt',
  icon: 'trending-up',
  styles: ['/ui/css/charts.css', '/ui/css/lab.css'],
  source: debtSource,
  routes: debtRoutes,
};

function debtRoutes(app: FastifyInstance, _context: ConsoleContext, lab: Lab): void {
  app.get(
    '/lab/api/debt/snapshot',
    { config: { access: 'operate', background: true } },
    (): Promise<DebtSnapshot> => lab.debt.snapshot(),
  );
}

/** A look that is much older than it should be is stale. */
async function debtSource(context: ConsoleContext, lab: Lab): Promise<DataSource> {
  try {
    const { debt } = lab;
    const { at_unix_s: at } = await debt.snapshot();
    const ageS = Math.max(0, context.now() / 1000 - at);
    return ageS > debt.staleS ? stale(ageS) : LIVE;
  } catch (error) {
    return sourceOfError(error);
  }
}
