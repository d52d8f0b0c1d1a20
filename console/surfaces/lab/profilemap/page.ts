import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { audited } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute, unauditedRoute } from '../../../server/route-options.js';
import { clientGone } from '../../../server/traffic.js';
import {
  type DataSource,
  labPage,
  LIVE,
  POLL,
  sourceOfError,
  stale,
  unavailable,
} from '../ground/data-source.js';
import type { Lab } from '../lab.js';
import type { ProfileMark, ProfileSnapshot } from './profile-map.js';
import { pulse, type PulseTimes } from '../ground/pulse.js';
import { PROFILE_PATHS } from './tree.js';

const MARK = z.string().regex(/^[0-9a-f]{12}$/, { error: 'a mark' });
const SNAPSHOT = z.strictObject({
  path: z.enum(PROFILE_PATHS).default('put'),
  from: MARK.optional(),
  to: MARK.optional(),
});
const PULSE = z.strictObject({
  n: z.int().min(1).max(200).default(20),
  bytes: z
    .int()
    .min(0)
    .max(8 * 1024 * 1024)
    .default(65_536),
  path: z.enum(['put', 'get']).default('put'),
  concurrency: z.int().min(1).max(8).default(1),
});

/** The outcome of a pulse: the times that the client saw, and the counts of that while. */
export interface PulseView extends PulseTimes {
  readonly from: ProfileMark;
  readonly to: ProfileMark;
  readonly snapshot: ProfileSnapshot;
}

export const PROFILE_MAP = labPage({
  name: 'profilemap',
  title: 'Profile Cartographer',
  purpose:
    'See where request time is spent: proxy, object server, replicator. Stages without timers are shown hollow.',
  icon: 'list-tree',
  source: profileSource,
  routes: profileRoutes,
});

function profileRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';

  app.get('/lab/api/profilemap/snapshot', POLL, (request): Promise<ProfileSnapshot> => {
    const { path, from, to } = parse(SNAPSHOT, request.query);
    return lab.profile.snapshot(path, from, to);
  });

  app.post(
    '/lab/api/profilemap/marks',
    unauditedRoute(access, 'marks a time in figures of its own'),
    (): Promise<ProfileMark> => lab.profile.mark(),
  );

  app.post(
    '/lab/api/profilemap/pulse',
    auditedRoute(access),
    async (request, reply): Promise<PulseView> => {
      const given = parse(PULSE, request.body);
      const { profile, pulses } = lab;
      return pulses.take(clientGone(reply), async (signal) => {
        const from = await profile.mark();
        const act = { action: 'lab.profile_pulse', target: given.path, details: { n: given.n } };
        const times = await audited(context, request, act, () =>
          pulse(sessionOf(request), given, signal),
        );
        const to = await profile.mark();
        return { ...times, from, to, snapshot: await profile.snapshot(given.path, from.id, to.id) };
      });
    },
  );
}

/** Live as long as one source is. */
async function profileSource(_context: ConsoleContext, lab: Lab): Promise<DataSource> {
  try {
    const { sources } = await lab.profile.snapshot('put');
    if (sources.some(({ state }) => state === 'live')) return LIVE;
    const silent = sources.find(({ state }) => state === 'silent');
    if (silent !== undefined) return stale(null, silent.note);
    const broken = sources.find(({ state }) => state === 'unavailable');
    return unavailable(broken?.note ?? 'No timers found.');
  } catch (error) {
    return sourceOfError(error);
  }
}
