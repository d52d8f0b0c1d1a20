import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import type { Driver, Installation, NodeTarget } from '../../src/deploy/drivers/driver.js';
import { LocalDriver } from '../../src/deploy/drivers/local.js';
import { parseDeployConfig } from '../../src/deploy/service/config.js';
import { openApi } from '../../src/deploy/service/openapi.js';
import type { StoredPlan } from '../../src/deploy/service/planner-protocol.js';
import type { Run } from '../../src/deploy/service/run-record.js';
import {
  startDeploy,
  type DeployParts,
  type RunningDeploy,
} from '../../src/deploy/service/start.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { exampleSpec } from './support.js';

const SPEC = exampleSpec();

export const USER = 'deploy';
export const PASSWORD = 'deploy-password';
export const AUTHORIZATION = basicOf(`${USER}:${PASSWORD}`);

/** Secrets that the example names. */
const SECRETS: Readonly<Record<string, string>> = {
  'hash-prefix': 'prefix%1',
  'hash-suffix': 'suffix',
  'gateway-key': 'gateway-key-1',
  'admin-key': 'admin-key-1',
  'filter-secret': 'filter-secret-of-32-bytes-or-more',
};

/** The members of all answers; a test knows which of them its answer has. */
export interface AnswerJson {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: {
      readonly errors: readonly { readonly path: string; readonly code: string }[];
      readonly run_id: string;
      readonly holder: string;
      readonly since_unix_s: number;
    };
  };
  readonly etag: string;
  readonly spec_etag: string;
  readonly valid: boolean;
  readonly errors: readonly { readonly path: string; readonly code: string }[];
  readonly run_id: string;
  readonly lock: null | { readonly run_id: string };
  readonly retry_of: string | null;
  readonly nodes: readonly {
    readonly node: string;
    readonly state: string;
    readonly files: readonly { readonly path: string; readonly is: string | null }[];
  }[];
  readonly runs: readonly Run[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Of a JSON answer. */
  readonly json: AnswerJson & StoredPlan & Run;
}

export interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
}

/** Folders of a control service, with its password and secrets. @returns its configuration */
export async function makeFolders(folder: string): Promise<Record<string, unknown>> {
  await mkdir(join(folder, 'secrets'), { recursive: true, mode: 0o700 });
  for (const [name, secret] of Object.entries(SECRETS)) await writeSecret(folder, name, secret);
  await writeFile(join(folder, 'token'), `${PASSWORD}\n`, { mode: 0o600 });
  return {
    listen: '127.0.0.1:0',
    state_dir: 'state',
    user: USER,
    token_file: 'token',
    secrets_dir: 'secrets',
    install_root: 'nodes',
  };
}

export async function writeSecret(folder: string, name: string, secret: string): Promise<void> {
  await writeFile(join(folder, 'secrets', name), `${secret}\n`, { mode: 0o600 });
}

/** Swift's programs take seconds, and are tested by themselves. */
function noCheck(): Promise<[]> {
  return Promise.resolve([]);
}

/** A control service in this process. */
export class TestDeploy {
  /** The nodes of {@link TestDeploy.driven}. */
  readonly driver: TestDriver;
  /** The clock of {@link TestDeploy.driven}. */
  nowMs = 1_700_000_000_000;
  private parts: DeployParts = {};
  private keys: Readonly<Record<string, unknown>> = {};
  private running: RunningDeploy | undefined;
  /** It stays the former one's until another service runs. */
  port = 0;

  private constructor(readonly folder: string) {
    this.driver = new TestDriver(new LocalDriver(join(folder, 'nodes')));
  }

  /** @param keys further ones of its configuration */
  static async start(
    folder: string,
    parts: DeployParts = {},
    keys: Readonly<Record<string, unknown>> = {},
  ): Promise<TestDeploy> {
    const deploy = new TestDeploy(folder);
    await deploy.restart(parts, keys);
    return deploy;
  }

  /** As `start`, with a driver and a clock that obey the test. */
  static async driven(
    folder: string,
    parts: DeployParts = {},
    keys: Readonly<Record<string, unknown>> = {},
  ): Promise<TestDeploy> {
    const deploy = new TestDeploy(folder);
    const { driver } = deploy;
    await deploy.restart({ driver, now: () => deploy.nowMs, ...parts }, keys);
    return deploy;
  }

  /** Ends the service, and starts another one as it was but for what is given. */
  async restart(
    parts: DeployParts = {},
    keys: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    await this.close();
    this.parts = { ...this.parts, ...parts };
    this.keys = { ...this.keys, ...keys };
    const config = { ...(await makeFolders(this.folder)), ...this.keys };
    const options = parseDeployConfig(config, this.folder);
    const logger = createLogger({ level: 'silent', process: 'deploy' });
    // Tests change files of nodes, and look at once.
    const usual = { check: noCheck, statusAgeMs: 0 };
    this.running = await startDeploy(options, { ...usual, ...this.parts, logger });
    this.port = this.running.port;
  }

  call(method: 'GET' | 'PUT' | 'POST', path: string, call: Call = {}): Promise<Answer> {
    return callDeploy(this.port, method, path, call);
  }

  /** Takes a specification, whatever was there. */
  async putSpec(spec: unknown): Promise<Answer> {
    const { headers } = await this.call('GET', '/v1/spec');
    return this.call('PUT', '/v1/spec', {
      body: spec,
      headers: { 'if-match': String(headers.etag) },
    });
  }

  /** Applies a plan. */
  apply(plan: { readonly id: string; readonly base_etag: string }, key: string): Promise<Answer> {
    return this.call('POST', `/v1/plans/${plan.id}/apply`, {
      headers: { 'if-match': `"${plan.base_etag}"`, 'idempotency-key': key },
    });
  }

  /** Waits until a run has ended: its events do. */
  async ended(id: string): Promise<Run> {
    await this.call('GET', `/v1/runs/${id}/events`);
    return (await this.call('GET', `/v1/runs/${id}`)).json;
  }

  /** Plans, the current specification unless `body` says otherwise. */
  async plan(body: object = {}): Promise<StoredPlan> {
    const { status, text, json } = await this.call('POST', '/v1/plans', { body });
    if (status !== 201) throw new Error(text);
    return json;
  }

  /** Plans the current specification and applies it. @returns the run, ended */
  async deploy(key: string, wish: object = {}): Promise<Run> {
    const begun = await this.apply(await this.plan(wish), key);
    if (begun.status !== 202) throw new Error(begun.text);
    return this.ended(begun.json.run_id);
  }

  /** As `deploy`. @throws Error unless the run succeeds */
  async succeed(key: string, wish: object = {}): Promise<Run> {
    const run = await this.deploy(key, wish);
    if (run.state !== 'succeeded') throw new Error(`${run.state}: ${run.message}`);
    return run;
  }

  retry(id: string, key: string, body: unknown = {}): Promise<Answer> {
    const headers = { 'idempotency-key': key };
    return this.call('POST', `/v1/runs/${id}/retry`, { body, headers });
  }

  /** The state of each node. */
  async nodeStates(): Promise<string[]> {
    const { json } = await this.call('GET', '/v1/status');
    return json.nodes.map(({ state }) => state);
  }

  /** A file of a node. */
  installed(node: string, path: string): Promise<string> {
    return readFile(join(this.folder, 'nodes', node, path), 'utf8');
  }

  /** Harmless where it has ended. */
  async close(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }
}

/** Ends a service even where its driver waits. */
export async function endDeploy(deploy: TestDeploy): Promise<void> {
  deploy.driver.release?.();
  await deploy.close();
}

/** Statuses of every route of the OpenAPI document. */
const DESCRIBED = Object.entries(
  (openApi() as { paths: Record<string, Record<string, { responses: object }>> }).paths,
).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace('{path}', '.+').replace(/\{\w+\}/g, '[^/]+')}(?:\\?.*)?$`),
  methods,
}));

/** No test gets an answer that the document does not tell of. */
function expectDescribed(method: string, path: string, status: number): void {
  const operation = DESCRIBED.map(({ pattern, methods }) =>
    pattern.test(path) ? methods[method.toLowerCase()] : undefined,
  ).find((each) => each !== undefined);
  if (operation === undefined || String(status) in operation.responses) return;
  throw new Error(`the OpenAPI document has no ${status} of ${method} ${path}`);
}

function basicOf(user: string): string {
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

export async function callDeploy(
  port: number,
  method: 'GET' | 'PUT' | 'POST',
  path: string,
  { body, headers, user }: Call = {},
): Promise<Answer> {
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: user === undefined ? AUTHORIZATION : basicOf(user),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  expectDescribed(method, path, answer.statusCode);
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    json: (isJson ? JSON.parse(text) : undefined) as Answer['json'],
  };
}

/** A driver that can be told to wait or to fail. */
export class TestDriver implements Driver {
  readonly begun: string[] = [];
  /** Nodes that are not installed before this is called. */
  release: (() => void) | undefined;
  waitsAt: string | undefined;
  /** As `waitsAt`, with the files in place by then. */
  waitsAfter: string | undefined;
  failsAt: string | undefined;
  /** Nodes that cannot be reached. */
  readonly away = new Set<string>();
  /** How often each node was looked at. */
  readonly looks = new Map<string, number>();

  constructor(private readonly inner: Driver) {}

  async install(installation: Installation): Promise<number> {
    const { name } = installation.node;
    this.begun.push(name);
    const wait = () => new Promise<void>((resolve) => (this.release = resolve));
    if (name === this.waitsAt) await wait();
    if (name === this.failsAt || this.away.has(name)) throw new Error('no route to host');
    const changed = await this.inner.install(installation);
    if (name === this.waitsAfter) await wait();
    return changed;
  }

  reach({ name }: NodeTarget): Promise<void> {
    return this.away.has(name) ? Promise.reject(new Error('no route to host')) : Promise.resolve();
  }

  hashes(node: NodeTarget, paths: readonly string[]) {
    this.looks.set(node.name, (this.looks.get(node.name) ?? 0) + 1);
    return this.inner.hashes(node, paths);
  }
}

/** Smaller rings: what they are made of is tested elsewhere. */
export const small = { ...SPEC, rings: SPEC.rings.map((ring) => ({ ...ring, part_power: 4 })) };
/** The same with more workers in the proxies. */
export const otherWorkers = { ...small, proxy: { ...small.proxy, workers: 5 } };
