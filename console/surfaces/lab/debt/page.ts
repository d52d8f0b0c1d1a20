import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from '../../../server/context.js';
import type { SurfacePage } from '../../../server/surface.js';
import { labOf } from '../lab.js';
import type { DebtSnapshot } from './debt-watch.js';

export const DEBT: SurfacePage = {
  id: 'lab/debt',
  title: 'Repair Debt Index',
  purpose: 'How much repair work the cluster owes, and whether it is catching up.',
  path: '/lab/debt',
  icon: 'trending-up',
  styles: ['/css/charts.css', '/pages/lab/lab.css'],
  routes: debtRoutes,
};

function debtRoutes(app: FastifyInstance, context: ConsoleContext): void {
  app.get(
    '/lab/api/debt/snapshot',
    { config: { access: 'operate', background: true } },
    (): Promise<DebtSnapshot> => labOf(context).debt.snapshot(),
  );
}
