import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  DESCRIPTION,
  EXPIRES,
  isUserName,
  type CredentialRecord,
} from '../../../src/config/credentials.js';
import { type RosterEntry, loginName } from '../../config/keys.js';
import { ApiError } from '../../server/api-error.js';
import { audited } from '../../server/audit-record.js';
import { sessionOf, type ConsoleContext } from '../../server/context.js';
import { settingOf } from '../../server/features.js';
import { parse } from '../../server/parse.js';
import { auditedRoute } from '../../server/route-options.js';
import type { Surface } from '../../server/surface.js';
import { CredentialFile } from './credential-file.js';

/** An access key without its secret. */
export interface KeyView {
  readonly access_key: string;
  /** Without the prefix `AUTH_`. */
  readonly account: string;
  readonly role: CredentialRecord['role'];
  readonly user: string | null;
  readonly description: string;
  readonly state: 'active' | 'disabled' | 'expired';
  /** As ISO 8601. */
  readonly expires: string | null;
  /** Whether it is a key of the user who asks. */
  readonly is_own: boolean;
}

export interface KeysView {
  readonly items: readonly KeyView[];
}

/** A key as it is shown this once. */
export interface MadeKey extends KeyView {
  readonly secret_key: string;
}

/** The answers on keys that pages read. */
export interface KeysAnswers {
  'GET /api/keys': KeysView;
  'POST /api/keys': MadeKey;
  [key: `PATCH /api/keys/${string}`]: KeyView;
}

export const KEYS: Surface<{ readonly answers: KeysAnswers }> = {
  id: 'keys',
  group: 'administration',
  feature: 'access_keys',
  setting: settingOf(
    'Access key management is',
    'credentials_file',
    'docs/credentials.md',
    ({ credentialsFile }) => credentialsFile !== '',
  ),
  access: 'operate',
  prefixes: ['/api/keys'],
  pages: [
    {
      id: 'keys',
      title: 'Access keys',
      purpose: 'Keys for signing S3 requests and logging in to the console.',
      path: '/keys',
      icon: 'key-round',
      skipTo: '#keys',
      styles: ['/ui/css/admin.css'],
      routes: keyRoutes,
    },
  ],
};

const ROLE = z.enum(['owner', 'member']);
const NEW_KEY = z.strictObject({
  account: z.string().regex(/^[\x21-\x2e\x30-\x7e]{1,123}$/, { error: 'an account of the store' }),
  role: ROLE,
  user: z.string().refine(isUserName, { error: 'account:user' }).optional(),
  description: DESCRIPTION.optional(),
  expires: EXPIRES.optional(),
});
const CHANGE = z.strictObject({
  role: ROLE.optional(),
  description: DESCRIPTION.optional(),
  disabled: z.boolean().optional(),
  expires: EXPIRES.nullable().optional(),
});
const KEY = z.object({ key: z.string().max(128) });

/** The access keys of the service: for operators, where they are in a file that it follows. */
function keyRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const access = 'operate';
  const file = new CredentialFile(context.options.credentialsFile, context.now);
  const viewFor = (
    record: CredentialRecord,
    { user }: { readonly user: RosterEntry },
  ): KeyView => ({
    access_key: record.accessKey,
    account: shownAccount(record.account),
    role: record.role,
    user: record.user ?? null,
    description: record.description ?? '',
    state: record.disabled === true ? 'disabled' : file.isInForce(record) ? 'active' : 'expired',
    expires: record.expires ?? null,
    is_own: isOwn(record, user),
  });

  app.get('/api/keys', { config: { access } }, async (request): Promise<KeysView> => {
    const session = sessionOf(request);
    return { items: (await file.records()).map((record) => viewFor(record, session)) };
  });

  app.post('/api/keys', auditedRoute(access), async (request, reply) => {
    const wanted = parse(NEW_KEY, request.body);
    const { account, role, user = '' } = wanted;
    const act = { action: 'keys.create', target: account, details: { role, user } };
    const create = () => file.create(wanted, shownAccount);
    const made = await audited(context, request, act, create, ({ accessKey }) => {
      return { access_key: accessKey };
    });
    const view: MadeKey = { ...viewFor(made, sessionOf(request)), secret_key: made.secretKey };
    return reply.status(201).send(view);
  });

  app.patch('/api/keys/:key', auditedRoute(access), async (request): Promise<KeyView> => {
    const { key } = parse(KEY, request.params);
    const change = parse(CHANGE, request.body);
    const session = sessionOf(request);
    const act = { action: 'keys.change', target: key, details: { ...change } as ChangeDetails };
    return audited(context, request, act, async () => {
      const ends =
        change.disabled === true || change.role === 'member' || typeof change.expires === 'string';
      if (ends) await refuseOwn(file, key, session.user);
      return viewFor(await file.update(key, change), session);
    });
  });

  app.delete('/api/keys/:key', auditedRoute(access), async (request, reply) => {
    const { key } = parse(KEY, request.params);
    await audited(context, request, { action: 'keys.delete', target: key }, async () => {
      await refuseOwn(file, key, sessionOf(request).user);
      await file.remove(key);
    });
    return reply.status(204).send();
  });
}

/** The account without the store's own prefix, which no answer shows. */
function shownAccount(account: string): string {
  return account.replace(/^AUTH_/, '');
}

type ChangeDetails = Readonly<Record<string, string | boolean | null>>;

/** @throws ApiError conflict for a key of the user who asks: it would lock that user out */
async function refuseOwn(file: CredentialFile, key: string, user: RosterEntry): Promise<void> {
  const record = (await file.records()).find(({ accessKey }) => accessKey === key);
  if (record === undefined || !isOwn(record, user)) return;
  throw new ApiError(
    'conflict',
    'You cannot disable, restrict, expire or delete your own key. Contact another operator.',
  );
}

function isOwn({ accessKey, user: name }: CredentialRecord, user: RosterEntry): boolean {
  const isKnown = user.access_keys?.includes(accessKey) === true;
  return isKnown || accessKey === loginName(user) || name === loginName(user);
}
