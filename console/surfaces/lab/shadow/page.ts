import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { loginName } from '../../../config/keys.js';
import { ApiError } from '../../../server/api-error.js';
import { audited } from '../../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../../server/context.js';
import { parse } from '../../../server/parse.js';
import { auditedRoute } from '../../../server/route-options.js';
import { runCollectionRoutes } from '../../../server/runs/run-collection.js';
import { runActor } from '../../../server/runs/run-routes.js';
import type { Session, SessionKeys } from '../../../server/sessions.js';
import { type DataSource, labPage, POLL, storeSource, unavailable } from '../ground/data-source.js';
import { missingOf } from '../ground/refusals.js';
import { parseUpstream } from '../../../swift/address.js';
import { CredentialsRefusedError } from '../../../swift/errors.js';
import { swiftLogin } from '../../../swift/login.js';
import { Upstream } from '../../../swift/upstream.js';
import type { Lab } from '../lab.js';
import { parseCase } from './case.js';
import { Duel, type StepResult } from './duel.js';
import { OPERATORS } from './mutation.js';
import { dialectOf, type ShadowParams } from './shadow-run.js';
import type { ShadowRunRow } from './shadow-runs.js';
import { ShadowSide } from './side.js';

const MODE = z.enum(['single', 'dual', 's3']);
const START = z.strictObject({
  mode: MODE.default('single'),
  seed: z.int().min(0).max(0xffff_ffff).default(1),
  cases: z.int().min(1).max(5000).default(100),
  operators: z
    .array(z.enum(OPERATORS))
    .min(1)
    .default([...OPERATORS]),
});
const REPLAY = z.strictObject({ mode: MODE, case: z.unknown() });

export interface ShadowRunsView {
  readonly items: readonly ShadowRunRow[];
  /** The comparisons that are possible here, and the names of the sides. */
  readonly modes: readonly { readonly mode: ShadowParams['mode']; readonly needs: string | null }[];
  readonly peer: string;
}

export const SHADOW = labPage({
  name: 'shadow',
  title: 'Shadow',
  purpose:
    'Send edge-case requests to temporary containers on this cluster and another one, and compare the responses.',
  icon: 'git-compare',
  source: shadowSource,
  routes: shadowRoutes,
});

function shadowRoutes(app: FastifyInstance, context: ConsoleContext, lab: Lab): void {
  const access = 'operate';

  app.get('/lab/api/shadow/runs', POLL, async (): Promise<ShadowRunsView> => ({
    items: await lab.shadow.list(),
    modes: MODE.options.map((mode) => ({ mode, needs: lackOf(context, mode) })),
    peer: context.options.shadowPeerLabel,
  }));

  app.post('/lab/api/shadow/runs', auditedRoute(access), async (request, reply) => {
    const given = parse(START, request.body);
    const duel = await duelOf(context, sessionOf(request), given.mode);
    const sides = { a: duel.a.label, b: duel.b?.label ?? null };
    const run = await lab.shadow.start({ ...given, ...sides }, duel, runActor(request));
    return reply.status(202).send({ id: run.id });
  });

  runCollectionRoutes(app, context, '/lab/api/shadow/runs', lab.shadow);

  app.post(
    '/lab/api/shadow/replay',
    auditedRoute(access),
    async (request): Promise<{ readonly results: readonly StepResult[] }> => {
      const { mode, case: given } = parse(REPLAY, request.body);
      const one = parseCase(given);
      if (one?.dialect !== dialectOf(mode)) {
        const text = 'The case is not valid, or reaches outside its container.';
        throw new ApiError('unprocessable', text);
      }
      const act = { action: 'lab.shadow.replay', target: mode };
      const results = await audited(context, request, act, async () => {
        const duel = await duelOf(context, sessionOf(request), mode);
        return duel.run(one).catch((error: unknown) => {
          throw new ApiError('upstream_unavailable', (error as Error).message);
        });
      });
      return { results };
    },
  );
}

/** The keys that the configuration lacks for a mode; null where it lacks none. */
function lackOf({ options }: ConsoleContext, mode: ShadowParams['mode']): string | null {
  return missingOf({
    shadow_root: options.shadowRoot !== '',
    shadow_peer_base: mode === 'single' || options.shadowPeerBase !== '',
    s3_base: mode !== 's3' || options.s3Base !== '',
  });
}

/**
 * The sides of a mode, as the user of the session on each.
 * @throws ApiError unsupported_here; upstream_unavailable where a side does not let the user in
 */
async function duelOf(
  context: ConsoleContext,
  { user, keys }: Session,
  mode: ShadowParams['mode'],
): Promise<Duel> {
  const needs = lackOf(context, mode);
  if (needs !== null) {
    const text = 'This comparison is not available in this setup.';
    throw new ApiError('unsupported_here', text, { needs });
  }
  if (keys === undefined) {
    throw new ApiError('unsupported_here', 'Shadow requires a login with a store access key.');
  }
  const { options, now } = context;
  const [base, peer] = [parseUpstream(options.storeBase), options.shadowPeerBase];
  const label = options.shadowPeerLabel;
  if (mode === 's3') {
    const identity = {
      ...{ dialect: 's3' as const, accessKey: keys.accessKeys[0] ?? '', secretKey: keys.secretKey },
      region: options.s3Region,
    };
    const s3 = parseUpstream(options.s3Base);
    return new Duel(
      new ShadowSide('gateway', s3, identity, now),
      new ShadowSide(label, parseUpstream(peer), identity, now),
    );
  }
  const a = new ShadowSide('cluster', base, await enter('cluster', options.authUrl, user, keys));
  if (mode === 'single') return new Duel(a, undefined);
  const identity = await enter(label, options.shadowPeerAuth, user, keys);
  return new Duel(a, new ShadowSide(label, parseUpstream(peer), identity));
}

/** Logs in at one side. @throws ApiError upstream_unavailable */
async function enter(side: string, url: string, user: Session['user'], { secretKey }: SessionKeys) {
  const auth = new Upstream(parseUpstream(url));
  try {
    return { dialect: 'swift' as const, ...(await swiftLogin(auth, loginName(user), secretKey)) };
  } catch (error) {
    const why =
      error instanceof CredentialsRefusedError
        ? 'rejected the login of this user'
        : 'did not respond to the login';
    throw new ApiError('upstream_unavailable', `Target ${side} ${why}.`);
  } finally {
    auth.close();
  }
}

function shadowSource(context: ConsoleContext, lab: Lab): Promise<DataSource> | DataSource {
  if (context.options.shadowRoot !== '') return storeSource(context, lab);
  return unavailable("No directory is configured for Shadow's files.", 'shadow_root');
}
