import type { Surface } from '../../server/surface.js';
import type { MonitorAnswers, Overview } from './answers.js';
import { isMonitored, Monitor } from './monitor.js';
import { monitorRoutes } from './routes.js';

export const MONITOR: Surface<{
  readonly service: Monitor;
  readonly answers: MonitorAnswers;
  readonly news: { readonly monitor: Overview };
}> = {
  id: 'monitor',
  group: 'cluster',
  feature: 'monitor',
  setting: {
    isOn: isMonitored,
    code: 'unsupported_here',
    message: 'No monitoring source is configured.',
    needs: 'metrics_url, admin_url, logs_url, or cluster_nodes with store_dir',
  },
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
  open: (context) => new Monitor(context),
  topics: [{ name: 'monitor', access: 'read', events: 20 }],
};
