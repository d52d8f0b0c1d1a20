import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Keystone, KeystoneAnswer, KeystoneRequest } from '../../src/identity/keystone.js';
import type { ServiceTokens } from '../../src/identity/service-token.js';
import { CredentialsRefusedError, UpstreamError } from './errors.js';

const TEXT = z.string().min(1).max(255);
const SECRET = z.string().min(1).max(1024);
/** A domain by its name; empty for the one of the configuration. */
const DOMAIN = z.string().max(255).default('');

/** The input of a user who logs in with Keystone. */
export const KEYSTONE_LOGIN = z.discriminatedUnion('method', [
  z.strictObject({
    method: z.literal('password'),
    user: TEXT,
    domain: DOMAIN,
    project: TEXT,
    /** Empty: the domain of the user. */
    project_domain: DOMAIN,
    password: SECRET,
  }),
  z.strictObject({ method: z.literal('application_credential'), id: TEXT, secret: SECRET }),
  z.strictObject({ method: z.literal('ec2'), access_key: TEXT, secret_key: SECRET }),
]);
export type KeystoneLogin = z.infer<typeof KEYSTONE_LOGIN>;

/** A token of a project, and whose it is. */
export interface KeystoneToken {
  readonly value: string;
  readonly user: KeystoneParty;
  readonly project: KeystoneParty;
  /** In lower case. */
  readonly roles: readonly string[];
}

export interface KeystoneParty {
  readonly id: string;
  readonly name: string;
  /** The domain's name. */
  readonly domain: string;
}

const PARTY = z
  .object({
    // It becomes a part of paths.
    id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
    name: z.string(),
    domain: z.object({ name: z.string() }),
  })
  .transform(({ id, name, domain }) => ({ id, name, domain: domain.name }));
const TOKEN = z.object({
  token: z.object({
    user: PARTY,
    project: PARTY,
    roles: z.array(z.object({ name: z.string() })),
  }),
});

interface KeystoneLoginDeps {
  readonly keystone: Keystone;
  /** The console's own user, who asks about access keys; undefined: it asks without a token. */
  readonly service: ServiceTokens | undefined;
  /** The domain of users who name none. */
  readonly domain: string;
}

/**
 * Logs in by version 3 of Keystone's API: `POST /v3/auth/tokens` or, with the access key and the
 * secret key of an EC2 credential, `POST /v3/ec2tokens`, which newer Keystones answer to users with
 * the role `service` or `admin` alone (CVE-2025-65073).
 *
 * @throws CredentialsRefusedError; UpstreamError
 */
export async function keystoneLogin(
  deps: KeystoneLoginDeps,
  login: KeystoneLogin,
): Promise<KeystoneToken> {
  const answer = await answerTo(deps, login);
  const { status, subjectToken, json } = answer;
  if (isRefusal(login, status)) throw new CredentialsRefusedError();
  const token = TOKEN.safeParse(json);
  if ((status !== 200 && status !== 201) || subjectToken === undefined || !token.success) {
    throw new UpstreamError(status >= 500 ? 'unavailable' : 'invalid', {
      cause: new Error(`Keystone answered a login by ${login.method} with ${status}`),
    });
  }
  const { user, project, roles } = token.data.token;
  const names = roles.map(({ name }) => name.toLowerCase());
  return { value: subjectToken, user, project, roles: names };
}

/** An unknown access key is 404. With 403 it is the console's own user who may not ask. */
function isRefusal({ method }: KeystoneLogin, status: number): boolean {
  return status === 401 || status === (method === 'ec2' ? 404 : 403);
}

function answerTo(deps: KeystoneLoginDeps, login: KeystoneLogin): Promise<KeystoneAnswer> {
  const { keystone, service, domain } = deps;
  if (login.method === 'ec2') {
    const request = { ...LOGIN, path: '/ec2tokens', body: { credentials: ec2Signed(login) } };
    return asked(service === undefined ? keystone.send(request) : service.ask(request));
  }
  const auth = login.method === 'password' ? byPassword(login, domain) : byCredential(login);
  return asked(keystone.send({ ...LOGIN, path: '/auth/tokens', body: { auth } }));
}

const LOGIN = { purpose: 'login', method: 'POST' } as const;

function byPassword(login: KeystoneLogin & { method: 'password' }, preset: string): object {
  const domain = login.domain === '' ? preset : login.domain;
  const projectDomain = login.project_domain === '' ? domain : login.project_domain;
  const user = { name: login.user, domain: { name: domain }, password: login.password };
  return {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: login.project, domain: { name: projectDomain } } },
  };
}

/** Its project is the credential's. */
function byCredential({
  id,
  secret,
}: KeystoneLogin & { method: 'application_credential' }): object {
  const credential = { id, secret };
  return {
    identity: { methods: ['application_credential'], application_credential: credential },
  };
}

/**
 * A request that is never sent, signed with version 2 as Keystone computes it
 * (keystoneclient/contrib/ec2/utils.py): the secret itself goes nowhere.
 */
function ec2Signed(login: KeystoneLogin & { method: 'ec2' }): object {
  const params: Readonly<Record<string, string>> = {
    SignatureMethod: 'HmacSHA256',
    SignatureVersion: '2',
    Timestamp: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const [verb, host, path] = ['GET', 'ringway-console', '/'];
  const query = Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const text = [verb, host, path, query].join('\n');
  const signature = createHmac('sha256', login.secret_key).update(text).digest('base64');
  return { access: login.access_key, signature, host, verb, path, params };
}

const EC2_CREDENTIALS = z.object({
  credentials: z.array(
    z.object({ access: z.string(), secret: z.string(), tenant_id: z.string().nullish() }),
  ),
});

/** A key pair for S3. */
interface Ec2KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * A key pair that the user has in the project of the token.
 * @returns undefined where there is none, or the user may not read it, as with most application
 *   credentials
 * @throws UpstreamError
 */
export async function ec2KeyPair(
  keystone: Keystone,
  { value, user, project }: KeystoneToken,
): Promise<Ec2KeyPair | undefined> {
  const path = `/users/${user.id}/credentials/OS-EC2`;
  const request: KeystoneRequest = { purpose: 'secret', method: 'GET', path, token: value };
  const { status, json } = await asked(keystone.send(request));
  const found = EC2_CREDENTIALS.safeParse(json);
  if (status !== 200 || !found.success) return undefined;
  const pair = found.data.credentials.find(({ tenant_id: id }) => id === project.id);
  return pair && { accessKey: pair.access, secretKey: pair.secret };
}

async function asked(answer: Promise<KeystoneAnswer>): Promise<KeystoneAnswer> {
  try {
    return await answer;
  } catch (error) {
    throw new UpstreamError('unavailable', { cause: error });
  }
}
