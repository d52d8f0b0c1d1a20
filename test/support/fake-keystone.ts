import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** An EC2 credential and whose it is. */
export interface FakeUser {
  readonly access: string;
  secret: string;
  readonly user: string;
  readonly project: string;
  readonly domain?: string;
  roles: string[];
  /** Undefined: the user cannot log in with one. */
  readonly password?: string;
}

/** Answers a request instead; false goes on as usual. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => boolean;

const SERVICE_USER = 'ringway';
export const SERVICE_PASSWORD = 'service-password';

/**
 * The part of Keystone that the gateway uses, in memory, with the errors that a test asks for. The
 * real Keystone is tested in test/integration/keystone.test.ts.
 */
export class FakeKeystone {
  url = '';
  readonly users = new Map<string, FakeUser>();
  /** Application credentials, by their id. */
  readonly credentials = new Map<string, { readonly secret: string; readonly user: FakeUser }>();
  /** `METHOD path` of each request so far. */
  readonly requests: string[] = [];
  /** Tokens that are good. */
  readonly tokens = new Set<string>();
  tokenLifeMs = 3_600_000;
  /** False: its user may verify, and read no secrets. */
  givesSecrets = true;
  misbehave: Misbehaviour = () => false;
  readonly #server: Server;
  #issued = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      if (this.misbehave(request, response)) return;
      void this.#answer(request, response);
    });
  }

  static async start(): Promise<FakeKeystone> {
    const fake = new FakeKeystone();
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    const address = fake.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    fake.url = `http://127.0.0.1:${address.port}/v3`;
    return fake;
  }

  add(user: FakeUser): FakeUser {
    this.users.set(user.access, user);
    return user;
  }

  /** How many requests began so, e.g. `POST /v3/s3tokens`. */
  count(prefix: string): number {
    return this.requests.filter((line) => line.startsWith(prefix)).length;
  }

  /** Ends the tokens of all users but the gateway's. */
  expireTokens(): void {
    for (const token of this.tokens) if (token.startsWith('token')) this.tokens.delete(token);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = await bodyOf(request);
    if (path === '/v3') {
      reply(response, 200, { version: { id: 'v3.14' } });
    } else if (path === '/v3/auth/tokens') {
      this.#logIn(body as LoginBody, response);
    } else if (!this.tokens.has(String(request.headers['x-auth-token']))) {
      reply(response, 401, { error: { code: 401 } });
    } else if (path === '/v3/s3tokens') {
      this.#verify(body as SignatureBody, response);
    } else if (path === '/v3/ec2tokens') {
      this.#verifyEc2(body as Ec2Body, response);
    } else if (path === '/v3/roles' || path === '/v3/role_assignments') {
      this.#tell(request.url ?? '', response);
    } else {
      this.#secret(path, response);
    }
  }

  /** Roles have their lower-case names as ids. */
  #tell(url: string, response: ServerResponse): void {
    const role = /[?&]role\.id=([^&]*)/.exec(url)?.[1];
    const users = [...this.users.values()];
    if (!this.givesSecrets) {
      reply(response, 403, { error: { code: 403 } });
    } else if (role === undefined) {
      const names = new Set(users.flatMap(({ roles }) => roles.map((name) => name.toLowerCase())));
      reply(response, 200, { roles: [...names].map((name) => ({ id: name, name })) });
    } else {
      const having = users.filter(({ roles }) => roles.some((name) => name.toLowerCase() === role));
      const assignments = having.map(({ project }) => ({
        scope: { project: { id: `id-${project}` } },
      }));
      // One on a domain, as Keystone has them besides.
      const others = [{ scope: { domain: { id: 'default' } } }];
      reply(response, 200, { role_assignments: [...assignments, ...others] });
    }
  }

  #logIn({ auth: { identity, scope } }: LoginBody, response: ServerResponse): void {
    const { password, application_credential: credential } = identity;
    if (password?.user.name === SERVICE_USER && password.user.password === SERVICE_PASSWORD) {
      this.#issue(response, {}, 201, 'service-token');
      return;
    }
    const { user, secret } = this.credentials.get(credential?.id ?? '') ?? {};
    const found =
      user !== undefined && secret === credential?.secret
        ? user
        : [...this.users.values()].find((one) => isLogin(one, password?.user, scope?.project));
    if (found === undefined) reply(response, 401, { error: { code: 401 } });
    else this.#issue(response, tokenOf(found));
  }

  #issue(response: ServerResponse, about: object, status = 201, prefix = 'token'): void {
    this.#issued += 1;
    const token = `${prefix}-${this.#issued}`;
    this.tokens.add(token);
    const expiresAt = new Date(Date.now() + this.tokenLifeMs).toISOString();
    reply(
      response,
      status,
      { token: { expires_at: expiresAt, ...about } },
      { 'x-subject-token': token },
    );
  }

  /** As keystone/api/ec2tokens.py does it with a signature of version 2. */
  #verifyEc2({ credentials }: Ec2Body, response: ServerResponse): void {
    const user = this.users.get(credentials.access);
    if (user === undefined) {
      reply(response, 404, { error: { code: 404 } });
      return;
    }
    const { verb, host, path, params } = credentials;
    const pairs = Object.keys(params)
      .sort()
      .map((name) => [name, params[name] ?? ''] as const);
    const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const text = [verb, host, path, query].join('\n');
    const expected = createHmac('sha256', user.secret).update(text).digest('base64');
    if (expected !== credentials.signature) reply(response, 401, { error: { code: 401 } });
    else this.#issue(response, tokenOf(user), 200);
  }

  #verify({ credentials }: SignatureBody, response: ServerResponse): void {
    const user = this.users.get(credentials.access);
    if (user === undefined) {
      reply(response, 404, { error: { code: 404 } });
      return;
    }
    const text = Buffer.from(credentials.token, 'base64url').toString('utf8');
    if (signatureOf(text, user.secret) !== credentials.signature) {
      reply(response, 401, { error: { code: 401 } });
      return;
    }
    reply(response, 200, { token: tokenOf(user) });
  }

  #secret(path: string, response: ServerResponse): void {
    const owner = /^\/v3\/users\/([^/]+)\/credentials\/OS-EC2$/.exec(path)?.[1];
    if (owner !== undefined) {
      const having = [...this.users.values()].filter(({ user }) => `id-${user}` === owner);
      const credentials = having.map(({ access, secret, project }) => {
        return { access, secret, tenant_id: `id-${project}` };
      });
      reply(response, 200, { credentials });
      return;
    }
    const access = /^\/v3\/users\/[^/]+\/credentials\/OS-EC2\/([^/]+)$/.exec(path)?.[1] ?? '';
    const user = this.users.get(access);
    if (!this.givesSecrets) reply(response, 403, { error: { code: 403 } });
    else if (user === undefined) reply(response, 404, { error: { code: 404 } });
    else reply(response, 200, { credential: { access, secret: user.secret } });
  }
}

interface Named {
  readonly name: string;
  readonly domain: { readonly name: string };
}

type LoginUser = Named & { readonly password: string };

interface LoginBody {
  readonly auth: {
    readonly identity: {
      readonly password?: { readonly user: LoginUser };
      readonly application_credential?: { readonly id: string; readonly secret: string };
    };
    readonly scope?: { readonly project: Named };
  };
}

interface Ec2Body {
  readonly credentials: {
    readonly access: string;
    readonly signature: string;
    readonly verb: string;
    readonly host: string;
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
  };
}

/** The name of the default domain; others are called like their ids. */
function domainName({ domain = 'default' }: FakeUser): string {
  return domain === 'default' ? 'Default' : domain;
}

function isLogin(one: FakeUser, user: LoginUser | undefined, project: Named | undefined): boolean {
  const domain = domainName(one);
  return (
    one.password !== undefined &&
    one.password === user?.password &&
    one.user === user.name &&
    one.project === project?.name &&
    [user, project].every((party) => party.domain.name === domain)
  );
}

/** The user, project and roles in a token. */
function tokenOf(user: FakeUser): object {
  const domain = { id: user.domain ?? 'default', name: domainName(user) };
  return {
    user: { id: `id-${user.user}`, name: user.user, domain },
    project: { id: `id-${user.project}`, name: user.project, domain },
    roles: user.roles.map((name) => ({ id: name, name })),
  };
}

interface SignatureBody {
  readonly credentials: {
    readonly access: string;
    readonly token: string;
    readonly signature: string;
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}

/** The signature as keystone/api/s3tokens.py computes it. */
function signatureOf(text: string, secret: string): string {
  if (!text.startsWith('AWS4')) {
    return createHmac('sha1', secret).update(text).digest('base64');
  }
  const scope = (text.split('\n')[2] ?? '').split('/');
  let key: string | Buffer = `AWS4${secret}`;
  for (const part of scope) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(text).digest('hex');
}

function reply(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
