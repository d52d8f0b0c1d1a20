import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loginName, type RosterEntry } from '../config/keys.js';
import { S3Account } from '../s3/s3-account.js';
import { SwiftAccount } from '../swift/account.js';
import { CredentialsRefusedError } from '../swift/errors.js';
import { swiftLogin, type SwiftToken } from '../swift/login.js';
import { ApiError } from './api-error.js';
import { record, recordAction } from './audit-record.js';
import { sessionOf, type ConsoleContext } from './context.js';
import { featuresOf } from './features.js';
import { SESSION_COOKIE } from './guard.js';
import { parse } from './parse.js';
import type { Session } from './sessions.js';
import { pagesFor, type Surface } from './surface.js';

const CREDENTIALS = z.strictObject({
  account: z.string().max(128).default(''),
  user: z.string().min(1).max(128),
  key: z.string().min(1).max(1024),
});

/** Anybody may send them. */
const CREDENTIALS_BYTES_MAX = 16 * 1024;

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
  const open = { config: { access: 'open' }, bodyLimit: CREDENTIALS_BYTES_MAX } as const;
  app.post('/api/session', open, async (request, reply) => {
    const given = parse(CREDENTIALS, request.body);
    await admit(context, request, loginName(given));
    const { user, store } = await authenticate(context, request, given, () => {
      context.sessions.end(session);
    });
    // What the browser held before is worth nothing from now on.
    const before = request.cookies[SESSION_COOKIE];
    const old = before === undefined ? undefined : context.sessions.find(before);
    if (old !== undefined) context.sessions.end(old);
    const { sid, session } = context.sessions.start(user, store, s3Of(context, user, given.key));
    setCookie(context, request, reply, sid);
    return describe(context, surfaces, session);
  });

  app.get('/api/session', { config: { access: 'read', background: true } }, (request) =>
    describe(context, surfaces, sessionOf(request)),
  );

  app.delete('/api/session', { config: { access: 'read' } }, async (request, reply) => {
    const session = sessionOf(request);
    // The store's token stays: other sessions of the user share it.
    context.sessions.end(session);
    await recordAction(context, request, { action: 'logout', target: TARGET, result: 'ok' });
    return reply.clearCookie(SESSION_COOKIE, { path: '/' }).status(204).send();
  });
}

async function admit(
  context: ConsoleContext,
  request: FastifyRequest,
  name: string,
): Promise<void> {
  const { waitS, isFirst } = context.loginLimits.tryLogin(request.view.address, name);
  if (waitS === 0) return;
  if (isFirst) await record(context, request, { actor: name, role: '' }, LOGIN_DENIED);
  throw new ApiError('rate_limited', 'Too many logins. Wait a little.', undefined, waitS);
}

/**
 * The store is asked in every case, so that neither the answer nor its time shows whether a user is
 * in the roster.
 */
async function authenticate(
  context: ConsoleContext,
  request: FastifyRequest,
  given: z.infer<typeof CREDENTIALS>,
  onRefused: () => void,
): Promise<{ readonly user: RosterEntry; readonly store: SwiftAccount }> {
  const name = loginName(given);
  const login = () => swiftLogin(context.auth, name, given.key);
  let token: SwiftToken | undefined;
  try {
    token = await login();
  } catch (error) {
    if (!(error instanceof CredentialsRefusedError)) throw error;
  }
  const user = context.accounts.find(name);
  if (token === undefined || user === undefined) {
    context.loginLimits.failed(request.view.address, name);
    await record(context, request, { actor: name, role: '' }, LOGIN_DENIED);
    throw new ApiError('unauthenticated', 'User or key is wrong, or may not use this console.');
  }
  context.loginLimits.succeeded(request.view.address, name);
  await record(context, request, { actor: name, role: user.role }, LOGIN_OK);
  return {
    user,
    store: new SwiftAccount({
      store: context.store,
      token,
      // Jobs and pages log in with it: a key that is refused ends the session.
      login: () => login().catch(rethrowRefusal(onRefused)),
      now: context.now,
    }),
  };
}

/** Signs with what the user logged in with: the login name is the access key, or an entry says which. */
function s3Of({ s3 }: ConsoleContext, user: RosterEntry, key: string): S3Account | undefined {
  if (s3 === undefined) return undefined;
  return new S3Account(s3, user.access_keys ?? [loginName(user)], key);
}

function rethrowRefusal(onRefused: () => void) {
  return (error: unknown): never => {
    if (error instanceof CredentialsRefusedError) onRefused();
    throw error;
  };
}

function setCookie(
  { options }: ConsoleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sid: string,
): void {
  const { cookieSecure } = options;
  const secure =
    cookieSecure === 'auto' ? request.view.scheme === 'https' : cookieSecure === 'always';
  void reply.setCookie(SESSION_COOKIE, sid, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
  });
}

/** The user who is logged in, as the page sees it. */
export type SessionView = ReturnType<typeof describe>;

function describe(context: ConsoleContext, surfaces: readonly Surface[], session: Session) {
  const { options, sessions } = context;
  const features = featuresOf(context);
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
  };
}
