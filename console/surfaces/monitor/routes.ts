import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../server/api-error.js';
import type { ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { LOG_LEVELS } from './logs/logql.js';
import { LINES_MAX } from './logs/log-store.js';
import type { Monitor } from './monitor.js';
import { panelOf, PANELS, TABS } from './panels/panels.js';
import { RANGE_S_MAX } from './step.js';
import { TRACE_QUERY } from './trace.js';

const RANGES_S = [900, 3600, 21_600, 86_400, 604_800, 2_592_000];
const HOUR_S = 3600;
const UNIX_S = z.coerce.number().min(0).max(253_402_300_799);

const SERIES = z.strictObject({ panel: z.string().max(64), from: UNIX_S, to: UNIX_S });

/** A list in one parameter; of names that need no escaping anywhere. */
const NAMES = z
  .string()
  .max(2048)
  .default('')
  .transform((text) => text.split(',').filter((name) => name !== ''))
  .pipe(z.array(z.string().regex(/^[A-Za-z0-9._@-]{1,64}$/)).max(20));

const VOLUME = z.strictObject({
  services: NAMES,
  nodes: NAMES,
  level: z.enum(LOG_LEVELS).optional(),
  /** `hide`: without the requests of the console itself. */
  own: z.enum(['show', 'hide']).default('show'),
  from: UNIX_S.optional(),
  to: UNIX_S.optional(),
});

const LOGS = VOLUME.extend({
  contains: z.string().max(256).optional(),
  limit: z.coerce.number().int().min(1).max(LINES_MAX).default(200),
});

/** Live measures and logs, asked for here: the browser names panels, never queries or places. */
export function monitorRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  monitor: Monitor,
): void {
  app.get('/api/monitor/overview', { config: { access: 'read' } }, () => monitor.overview(true));
  app.get('/api/monitor/panels', { config: { access: 'read' } }, () => panelsView(monitor));
  app.get('/api/monitor/series', { config: { access: 'read' } }, (request) => {
    const { panel, from, to } = parse(SERIES, request.query);
    const found = panelOf(panel);
    if (found === undefined) throw new ApiError('not_found', 'Panel not found.');
    return monitor.chart(found, checkedRange(from, to));
  });
  app.get('/api/monitor/workers', { config: { access: 'operate' } }, () => monitor.workers.view());
  app.get('/api/monitor/nodes', { config: { access: 'read' } }, () => nodesView(monitor, context));
  app.get('/api/monitor/logs', { config: { access: 'operate' } }, (request) => {
    const { from, to = context.now() / 1000, own, ...wish } = parse(LOGS, request.query);
    const range = checkedRange(from ?? to - HOUR_S, to);
    return monitor.searchLogs({ ...wish, hideOwn: own === 'hide', ...range });
  });
  app.get('/api/monitor/logs/volume', { config: { access: 'operate' } }, (request) => {
    const { from, to = context.now() / 1000, own, ...wish } = parse(VOLUME, request.query);
    const range = checkedRange(from ?? to - HOUR_S, to);
    return monitor.logVolume({ ...wish, hideOwn: own === 'hide', ...range });
  });
  app.get('/api/monitor/trace', { config: { access: 'operate' } }, (request) =>
    monitor.trace(parse(TRACE_QUERY, request.query)),
  );
}

function checkedRange(fromS: number, toS: number) {
  if (fromS >= toS)
    throw new ApiError('invalid_argument', 'The end of the range must be after its start.');
  if (toS - fromS > RANGE_S_MAX) {
    throw new ApiError('invalid_argument', 'The range is longer than 366 days.');
  }
  return { fromS, toS };
}

/**
 * All panels, those that cannot be measured here with the reason. `recorded`: whether there may be
 * anything to draw; of a panel that was never measured there is not.
 */
export type PanelsView = ReturnType<typeof panelsView>;

function panelsView(monitor: Monitor) {
  return {
    tabs: TABS,
    ranges: RANGES_S,
    log_levels: LOG_LEVELS,
    items: PANELS.map((panel) => {
      const { id, title, unit, tab, kind, isMain = false } = panel;
      const reason = monitor.unavailable(panel);
      const available = reason === undefined;
      const recorded = available && monitor.isRecorded(panel);
      const shown = { id, title, unit, tab, kind, main: isMain, available, recorded };
      return { ...shown, ...(available ? {} : { reason }) };
    }),
  };
}

/** The storage nodes and how well they are known. */
export type NodesView = ReturnType<typeof nodesView>;

function nodesView({ recon, watch }: Monitor, { now }: ConsoleContext) {
  if (recon === undefined) {
    const reason = 'no cluster_nodes are configured, or no store_dir with their rings';
    return { at_unix_s: now() / 1000, state: 'off', source: 'embedded', reason, items: [] };
  }
  const { state, reason, lastMs } = watch.statusOf('recon');
  return {
    at_unix_s: lastMs === undefined ? null : lastMs / 1000,
    state: state === 'ok' ? 'ok' : 'unknown',
    source: 'embedded',
    ...(reason === undefined ? {} : { reason }),
    items: recon.nodes,
  };
}
