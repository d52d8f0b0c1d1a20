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
        '/css/charts.css',
        '/pages/monitor/monitor.css',
        '/pages/monitor/tiles.css',
        '/pages/monitor/charts.css',
        '/pages/monitor/controls.css',
        '/pages/monitor/alerts.css',
        '/pages/monitor/trace.css',
      ],
      routes: monitorRoutes,
    },
  ],
  topics: [{ name: 'monitor', access: 'read', events: 20 }],
};
