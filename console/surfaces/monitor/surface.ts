import type { Surface } from '../../server/surface.js';
import { monitorRoutes } from './routes.js';

export const MONITOR: Surface = {
  id: 'monitor',
  group: 'cluster',
  feature: 'monitor',
  access: 'read',
  prefixes: ['/api/monitor'],
  pages: [
    {
      id: 'monitor',
      title: 'Monitor',
      purpose: 'Health and performance of the gateway and the cluster.',
      path: '/monitor',
      icon: 'activity',
      skipTo: '#panel',
      styles: [
        '/vendor/uplot.css',
        '/ui/css/charts.css',
        '/surfaces/monitor/page/monitor.css',
        '/surfaces/monitor/page/tiles.css',
        '/surfaces/monitor/page/charts.css',
        '/surfaces/monitor/page/controls.css',
        '/surfaces/monitor/page/alerts.css',
        '/surfaces/monitor/page/trace.css',
      ],
      routes: monitorRoutes,
    },
  ],
  topics: [{ name: 'monitor', access: 'read', events: 20 }],
};
