import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from '../../../server/context.js';
import {
  type DataSource,
  labPage,
  LIVE,
  POLL,
  sourceOfError,
  stale,
} from '../ground/data-source.js';
import type { Lab } from '../lab.js';
import type { DebtSnapshot } from './debt-watch.js';

export const DEBT = labPage({
  name: 'debt',
  title: 'Repair Debt Index',
  purpose: 'How much repair work the cluster owes, in seconds, and whether it is catching up.',
  icon: 'trending-up',
  source: debtSource,
  routes: debtRoutes,
});

function debtRoutes(app: FastifyInstance, _context: ConsoleContext, lab: Lab): void {
  app.get('/lab/api/debt/snapshot', POLL, (): Promise<DebtSnapshot> => lab.debt.snapshot());
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
