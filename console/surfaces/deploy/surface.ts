import type { Surface } from '../../server/surface.js';
import { deployRoutes } from './routes.js';

/** The front end of Deploy's control service. */
export const DEPLOY: Surface = {
  id: 'deploy',
  group: 'cluster',
  feature: 'deploy',
  access: 'operate',
  prefixes: ['/deploy'],
  pages: [
    {
      id: 'deploy',
      title: 'Deploy',
      purpose: 'Describe the cluster, preview what a change moves, apply it, or roll back.',
      path: '/deploy',
      icon: 'rocket',
      styles: [
        '/ui/css/charts.css',
        '/ui/css/lab.css',
        '/surfaces/deploy/page/deploy.css',
        '/surfaces/deploy/page/spec.css',
      ],
      routes: deployRoutes,
    },
  ],
};
