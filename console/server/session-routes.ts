import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loginName } from '../config/keys.js';
import { S3Account } from '../s3/s3-account.js';
import { SwiftAccount } from '../swift/account.js';
import { CredentialsRefusedError } from '../swift/errors.js';
import type { SwiftToken } from '../swift/login.js';
import { ApiError } from './api-error.js';
import { record, recordAction } from './audit-record.js';
import { sessionOf, type ConsoleContext } from './context.js';
import { featuresOf } from './features.js';
import type { Attempt, Entry } from './logins.js';
import { clearSid, setSid, sidOf } from './session-cookie.js';
import type { Session } from './sessions.js';
import { pagesFor, surfacesOff, type Surface } from './surface.js';
import { auditedRoute } from './route-options.js';

/** Anybody may send them. */
const CREDENTIALS_BYTES_MAX = 16 * 1024;

/** The name under which the limits count links that do not work: no user has it. */
const LINK_NAME = 'login link';
const TARGET = 'session';
const LOGIN_OK = { action: 'login', target: TARGET, result: 'ok' } as const;
const LOGIN_DENIED = { ...LOGIN_OK, result: 'denied' } as const;

/**
 * Login, logout, and who is logged in.
 * @param surfaces whose pages the session names that its user may open
 */
export function sessionRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  surfaces: readonly Surface[],
): void {
  const open = {
    config: { access: 'open', audits: true },
    bodyLimit: CREDENTIALS_BYTES_MAX,
  } as const;
  app.post('/api/session', open, async (request, reply) => {
    const before = sidOf(context.options, request, reply);
    const attempt = context.logins.attempt(await credentialsOf(context, request));
    await admit(context, request, attempt.name);
    const entry = await authenticate(context, request, attempt);
    // No await from here on: what is true of the user now is true when the session begins.
    const store = storeOf(context, attempt, entry, () => {
      context.sessions.end(session);
    });
    // The former session of the browser is worth nothing from now on.
    const old = before === undefined ? undefined : context.sessions.find(before);
    if (old !== undefined) context.sessions.end(old);
    const { sid, session } = context.sessions.start(
      entry.user,
      store,
      s3Of(context, entry),
      entry.s3,
    );
    setSid(context.options, request, reply, sid);
    return describe(context, surfaces, session);
  });

  app.get('/api/session', { config: { access: 'read', background: true } }, (request) =>
    describe(context, surfaces, sessionOf(request)),
  );

  app.delete('/api/session', auditedRoute('read'), async (request, reply) => {
    const session = sessionOf(request);
    // The store's token stays: other sessions of the user share it.
    context.sessions.end(session);
    await recordAction(context, request, { action: 'logout', target: TARGET, result: 'ok' });
    clearSid(context.options, request, reply);
    return reply.status(204).send();
  });
}

/** The body of a login by link. */
const BY_LINK = z.strictObject({ link: z.string().max(128) });

/** The body of the login; of one by a link, what the link stands for. */
async function credentialsOf(context: ConsoleContext, request: FastifyRequest): Promise<unknown> {
  const given = BY_LINK.safeParse(request.body);
  if (!given.success) return request.body;
  await admit(context, request, LINK_NAME);
  const credentials = context.loginOffers.take(given.data.link);
  if (credentials !== undefined) return credentials;
  context.loginLimits.failed(request.view.address, LINK_NAME);
  await record(context, request, { actor: LINK_NAME, role: '' }, LOGIN_DENIED);
  throw new ApiError(
    'unauthenticated',
    'This link has been used or has expired. Log in with an access key.',
  );
}

async function admit(
  context: ConsoleContext,
  request: FastifyRequest,
  name: string,
): Promise<void> {
  const { waitS, isFirst } = context.loginLimits.tryLogin(request.view.address, name);
  if (waitS === 0) return;
  if (isFirst) await record(context, request, { actor: name, role: '' }, LOGIN_DENIED);
  throw new ApiError('rate_limited', 'Too many login attempts.', undefined, waitS);
}

/**
 * Lets a user in by what is true when this resolves: the record may wait for the turn of the audit log,
 * and a role may be taken away meanwhile.
 */
async function authenticate(
  context: ConsoleContext,
  request: FastifyRequest,
  attempt: Attempt,
): Promise<Entry> {
  for (;;) {
    const { revocations } = context.sessions;
    const entry = await enter(context, request, attempt);
    if (context.sessions.revocations === revocations) return entry;
  }
}

async function enter(
  context: ConsoleContext,
  request: FastifyRequest,
  attempt: Attempt,
): Promise<Entry> {
  let entry: Entry;
  try {
    entry = await attempt.enter();
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError)) throw error;
    context.loginLimits.failed(request.view.address, attempt.name);
    await record(context, request, { actor: attempt.name, role: '' }, LOGIN_DENIED);
    throw new ApiError(
      'unauthenticated',
      'Invalid user or key, or the user does not have access to this console.',
    );
  }
  context.loginLimits.succeeded(request.view.address, attempt.name);
  await record(context, request, { actor: loginName(entry.user), role: entry.user.role }, LOGIN_OK);
  return entry;
}

/** Jobs and pages log in with it: a user who is refused then has no session any more. */
function storeOf(
  { store, now }: ConsoleContext,
  attempt: Attempt,
  { token, user }: Entry,
  onRefused: () => void,
): SwiftAccount {
  const login = async (): Promise<SwiftToken> => {
    try {
      const again = await attempt.enter();
      // Else the session would go on with rights that its user no longer has.
      if (again.user.role !== user.role) throw new CredentialsRefusedError();
      return again.token;
    } catch (error) {
      if (error instanceof CredentialsRefusedError) onRefused();
      throw error;
    }
  };
  return new SwiftAccount({ store, token, login, now });
}

/** Signs with what the user logged in with, or with what the login knows of the user. */
function s3Of({ s3 }: ConsoleContext, { s3: keys }: Entry): S3Account | undefined {
  if (s3 === undefined || keys === undefined) return undefined;
  return new S3Account(s3, keys.accessKeys, keys.secretKey);
}

/** The user who is logged in, as the page sees it. */
export type SessionView = ReturnType<typeof describe>;

function describe(context: ConsoleContext, surfaces: readonly Surface[], session: Session) {
  const { options, sessions } = context;
  const features = featuresOf(surfaces, options);
  const { user, account, role } = session.user;
  return {
    user,
    account,
    role,
    csrf: session.csrf,
    cluster_name: options.clusterName,
    max_upload_bytes: options.maxUploadBytes,
    tempurl_default_s: options.tempurlDefaultSecs,
    idle_expires_unix_s: Math.floor(sessions.expiresMs(session) / 1000),
    features,
    pages: pagesFor(surfaces, features, role),
    off: surfacesOff(surfaces, features, role),
  };
}
