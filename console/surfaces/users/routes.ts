import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { loginName, type RosterEntry } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { auditedRoute, readRoute } from '../../server/route-options.js';
import { runActor } from '../../server/runs/run-routes.js';
import type { RunView } from '../../server/runs/run.js';
import { outcomesOf, type NodeOutcome } from './change-run.js';
import type { ConfUser } from './conf-file.js';
import { differences, type Difference } from './differences.js';
import type { DiffLine } from './edit-conf.js';
import { sees } from './policy.js';
import type { UserAdmin } from './user-admin.js';
import { CHANGE, GROUPS, makesKey, type Group, type UserChange } from './user-change.js';

const APPLY = z.strictObject({
  change: CHANGE,
  /** Digests of the configurations that the preview was about, by node. */
  base: z.record(z.string().max(253), z.string().regex(/^[0-9a-f]{64}$/)),
});

/** The users of all proxies as the page has them. */
export interface UsersView {
  readonly nodes: readonly { readonly node: string; readonly sha256: string }[];
  /** Without details for who is no operator. */
  readonly differences: readonly (Pick<Difference, 'node'> & Partial<Difference>)[];
  readonly users: readonly ReturnType<typeof viewOf>[];
  /** That the user may give. */
  readonly groups: readonly Group[];
  /** Null for who may change users of any account. */
  readonly own_account: string | null;
}

/** The effect of a change, node by node. */
export interface UsersPreview {
  readonly nodes: readonly {
    readonly node: string;
    readonly sha256: string;
    readonly diff: readonly DiffLine[];
  }[];
  readonly notes: readonly string[];
}

/** A change that has begun. */
export interface ChangeStarted {
  readonly run_id: string;
  /** The new key, where the change made one. */
  readonly key?: string;
}

/** A change, and how far it has come. */
export interface ChangeView extends Pick<RunView, 'id' | 'state' | 'error' | 'progress'> {
  readonly nodes: readonly NodeOutcome[];
}

const RUN = z.object({ id: z.uuid() });

/** The users of the proxies: off for everybody unless `account_admin` is set. */
export function usersRoutes(app: FastifyInstance, context: ConsoleContext, users: UserAdmin): void {
  const access = 'manage';

  app.get('/api/users', { config: { access } }, async (request): Promise<UsersView> => {
    const { user } = sessionOf(request);
    const nameOf = namesFor(user, users.nodeNames);
    const files = await named(nameOf, users.read());
    const differ = differences(files);
    const found = differ.length > 0 ? [] : (files[0]?.conf.users ?? []);
    return {
      nodes: files.map(({ node, sha256 }) => ({ node: nameOf(node), sha256 })),
      differences:
        user.role === 'operator' ? differ : differ.map(({ node }) => ({ node: nameOf(node) })),
      users: found.filter((one) => sees(user, one)).map((one) => viewOf(one, user)),
      groups: user.role === 'operator' ? GROUPS : GROUPS.slice(0, 1),
      own_account: user.role === 'operator' ? null : user.account,
    };
  });

  app.post('/api/users/preview', readRoute(access), async (request): Promise<UsersPreview> => {
    const change = parse(CHANGE, request.body);
    const { user } = sessionOf(request);
    const nameOf = namesFor(user, users.nodeNames);
    const nodes = await named(nameOf, users.preview(user, change));
    return {
      nodes: nodes.map((one) => ({ ...one, node: nameOf(one.node) })),
      notes: notesOf(change),
    };
  });

  app.post('/api/users/apply', auditedRoute(access), async (request, reply) => {
    const { change, base } = parse(APPLY, request.body);
    const session = sessionOf(request);
    const nameOf = namesFor(session.user, users.nodeNames);
    const seen = users.nodeNames.map((node) => [node, base[nameOf(node)] ?? ''] as const);
    const onChanged = (): void => {
      endSessions(context, change, session.id);
    };
    const { id, key } = await named(
      nameOf,
      users.apply(change, Object.fromEntries(seen), session.user, runActor(request), onChanged),
    );
    const started: ChangeStarted = { run_id: id, ...(key === '' ? {} : { key }) };
    return reply.status(202).send(started);
  });

  app.get(
    '/api/users/changes/:id',
    { config: { access, background: true } },
    async (request): Promise<ChangeView> => {
      const { user } = sessionOf(request);
      const nameOf = namesFor(user, users.nodeNames);
      const run = await users.change(parse(RUN, request.params).id);
      // Others' changes are for operators.
      if (user.role !== 'operator' && run.actor !== loginName(user)) {
        throw new ApiError('not_found', 'Change not found.');
      }
      const { id, state, error, progress } = run;
      const nodes = outcomesOf(run).map((one) => ({ ...one, node: nameOf(one.node) }));
      return { id, state, error, progress, nodes };
    },
  );
}

type NameOf = (node: string) => string;

/** The addresses of proxies are for operators: other users see numbers. */
function namesFor({ role }: RosterEntry, all: readonly string[]): NameOf {
  return role === 'operator' ? (node) => node : (node) => `proxy ${all.indexOf(node) + 1}`;
}

interface NamesNodes {
  readonly node?: string;
  readonly nodes?: readonly string[];
  readonly differences?: readonly { readonly node: string }[];
}

/** @throws what `work` throws, with nodes called as the user may know them */
async function named<T>(nameOf: NameOf, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.details === undefined) throw error;
    const { node, nodes, differences: differ, ...others } = error.details as NamesNodes;
    throw new ApiError(
      error.code,
      error.message,
      {
        ...others,
        ...(node === undefined ? {} : { node: nameOf(node) }),
        ...(nodes === undefined ? {} : { nodes: nodes.map(nameOf) }),
        ...(differ === undefined
          ? {}
          : { differences: differ.map((one) => ({ ...one, node: nameOf(one.node) })) }),
      },
      error.retryAfterS,
    );
  }
}

/** A user without key, and without the address of another storage. */
function viewOf(one: ConfUser, actor: RosterEntry) {
  const { account, user, groups, storageUrl, byHand } = one;
  return {
    account,
    user,
    groups,
    has_storage_url: storageUrl !== '',
    by_hand: byHand,
    is_self: account === actor.account && user === actor.user,
  };
}

function notesOf(change: UserChange): string[] {
  const token = 'Tokens of the user stay valid until they expire: a day by default (token_life).';
  const console = "Access to this console is set in the console's configuration.";
  if (change.action === 'add') return [console];
  return change.action === 'remove' || makesKey(change) ? [token] : [];
}

/**
 * Ends the sessions of a user who was removed or got another key; users who change their own key
 * stay logged in.
 */
function endSessions({ sessions }: ConsoleContext, change: UserChange, except: string): void {
  if (change.action !== 'remove' && !makesKey(change)) return;
  sessions.revokeWhere(({ id, user }) => id !== except && loginName(user) === loginName(change));
}
