import { alertsFile } from './alerts.js';
import { dashboardFile } from './dashboard.js';

/** The files for operators' own Prometheus and Grafana, by their paths, as they should be. */
export function shippedFiles(): Readonly<Record<string, string>> {
  return {
    'ops/grafana/ringway.json': dashboardFile(),
    'ops/prometheus/alerts.yml': alertsFile(),
  };
}
