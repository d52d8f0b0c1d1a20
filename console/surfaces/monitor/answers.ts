import type { ChartView } from './charts.js';
import type { LogsView } from './logs/logs.js';
import type { VolumeView } from './logs/volume.js';
import type { Monitor } from './monitor.js';
import type { NodesView, PanelsView } from './routes.js';
import type { TraceView } from './trace.js';
import type { WorkersView } from './workers.js';

/** The answers of the Monitor that pages read. */
export interface MonitorAnswers {
  'GET /api/monitor/overview': Overview;
  'GET /api/monitor/panels': PanelsView;
  [series: `GET /api/monitor/series?${string}`]: ChartView;
  'GET /api/monitor/workers': WorkersView;
  'GET /api/monitor/nodes': NodesView;
  [logs: `GET /api/monitor/logs?${string}`]: LogsView;
  [volume: `GET /api/monitor/logs/volume?${string}`]: VolumeView;
  [trace: `GET /api/monitor/trace?${string}`]: TraceView;
}

/** The event of topic `monitor`, too. */
export type Overview = ReturnType<Monitor['overview']>;
