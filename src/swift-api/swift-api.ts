import type { Backend } from '../backend/backend.js';
import type { Roster } from '../config/credentials.js';
import type { MaybePromise } from '../lib/promises.js';
import { ClientAbortedError, type Exchange, type SendResult } from '../http/exchange.js';
import type { TrustedProxies } from '../http/trusted-proxies.js';
import { AccountRecords } from './account/accounts.js';
import { isLoginPath, login, unauthorised, userOfToken } from './auth/login.js';
import { Users, type ServiceUser, type User } from './auth/users.js';
import type { Api, Call } from './call.js';
import { isGateway } from './gateway/signature.js';
import { infoReply } from './info.js';
import { DEFAULT_API_LIMITS, type ApiLimits } from './limits.js';
import { readQuery, type Query, parseTarget, type Target } from './target.js';
import { HTML, TEXT, type Reply } from './reply.js';
import { route } from './routes.js';
import { SwiftError, swiftErrorOf } from './swift-error.js';
import { openTempUrl, tempUrlReply } from './tempurl/open.js';
import { isTempUrl } from './tempurl/parameters.js';
import { withWholeHeaders } from './whole-headers.js';

export interface SwiftApiOptions {
  readonly backend: Backend;
  readonly roster: Roster;
  readonly proxies: TrustedProxies;
  /** The directory for uploads of unknown length, until they are complete. */
  readonly spoolDirectory: string;
  readonly version: string;
  readonly nextRequestId: () => string;
  /** Called with every finished request. */
  readonly onFinished?: ((request: FinishedRequest) => void) | undefined;
  /** Called with unexpected errors. */
  readonly onError?: ((error: unknown, requestId: string) => void) | undefined;
  /** Shared with gateways that use this API in place of a Swift's. */
  readonly gatewaySecrets?: readonly string[] | undefined;
  /** The users that the service's own users may log in as. */
  readonly serviceUsers?: readonly ServiceUser[] | undefined;
  readonly limits?: Partial<ApiLimits> | undefined;
  /** The S3 API to the same store, as `/info` tells it under `s3api`; undefined: there is none. */
  readonly s3apiInfo?: Readonly<Record<string, unknown>> | undefined;
  readonly now?: (() => number) | undefined;
}

/** A request when all is over, for the log and the metrics. */
export interface FinishedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly userAgent: string | null;
  /** A resource from a fixed list: it becomes a label. */
  readonly resource: Resource;
  readonly user: string | undefined;
  readonly status: number;
  readonly durationS: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly abortedBy: SendResult['abortedBy'];
}

export type Resource = Target['kind'] | 'auth' | 'info' | 'healthcheck' | 'unknown';

/** The facts of a request before its answer. */
interface Progress {
  readonly requestId: string;
  resource: Resource;
  user: string | undefined;
}

/** Swift's API over a store. Bodies stream both ways; nothing of a request outlives it. */
export class SwiftApi {
  #api: Api;
  #inProgress = 0;

  constructor(private readonly options: SwiftApiOptions) {
    const { backend, roster, spoolDirectory, gatewaySecrets = [], limits } = options;
    this.#api = {
      backend,
      spoolDirectory,
      gatewaySecrets,
      users: new Users(roster, options.serviceUsers),
      accounts: new AccountRecords(backend),
      limits: { ...DEFAULT_API_LIMITS, ...limits },
      s3apiInfo: options.s3apiInfo,
      now: options.now ?? Date.now,
    };
  }

  /** Replaces the users; tokens of removed users become invalid. */
  replaceRoster(roster: Roster): void {
    this.#api = { ...this.#api, users: new Users(roster, this.options.serviceUsers) };
  }

  get requestsInProgress(): number {
    return this.#inProgress;
  }

  /** Serves one request; to be given to src/http. */
  handle = async (exchange: Exchange): Promise<void> => {
    const requestId = this.options.nextRequestId();
    const progress: Progress = { requestId, resource: 'unknown', user: undefined };
    this.#inProgress += 1;
    try {
      const reply = await this.#serve(exchange, progress);
      if (reply !== undefined) await this.#send(exchange, reply, progress);
    } finally {
      this.#inProgress -= 1;
    }
  };

  /** @returns undefined when the client is gone */
  async #serve(exchange: Exchange, progress: Progress): Promise<Reply | undefined> {
    try {
      return await this.#answer(exchange, progress);
    } catch (error) {
      if (exchange.aborted || error instanceof ClientAbortedError) {
        this.#finished(exchange, progress, 499, { bytesSent: 0, abortedBy: 'client' });
        return undefined;
      }
      const known = swiftErrorOf(error);
      if (known === undefined || known.status === 503)
        this.options.onError?.(error, progress.requestId);
      return (known ?? new SwiftError(500)).reply();
    }
  }

  async #answer(exchange: Exchange, progress: Progress): Promise<Reply> {
    const { request } = exchange;
    const { rawPath, headers } = request;
    if (request.malformed !== undefined) throw malformed(request.malformed);
    const nowS = Math.floor(this.#api.now() / 1000);
    if (rawPath === '/healthcheck') {
      progress.resource = 'healthcheck';
      return { status: 200, headers: [['Content-Type', TEXT]], body: 'OK' };
    }
    if (rawPath === '/info') {
      progress.resource = 'info';
      return infoReply(this.#api, this.options.version);
    }
    if (isLoginPath(rawPath)) {
      progress.resource = 'auth';
      const { users, limits } = this.#api;
      const baseUrl = this.#baseUrl(exchange);
      return login(headers, { users, tokenLifeS: limits.tokenLifeS, baseUrl, nowS });
    }
    const target = parseTarget(rawPath);
    progress.resource = target.kind;
    const gateway = isGateway(request, this.#api.gatewaySecrets, nowS);
    const query = readQuery(request.rawQuery);
    const call = this.#call(exchange, progress, target, query, gateway);
    if (isTempUrl(query)) return this.#withTempUrl(call, exchange);
    const user = this.#userOf(exchange, target, nowS);
    progress.user = user?.name;
    return route({ ...call, user });
  }

  #call(
    exchange: Exchange,
    { requestId }: Progress,
    target: Target,
    query: Query,
    gateway: boolean,
  ): Call {
    const { request, body } = exchange;
    const context = { requestId, cancellation: exchange };
    const { method } = request;
    const headers = withWholeHeaders(request.headers);
    const common = { api: this.#api, exchange, method, target, query, headers, body };
    return { ...common, context, gateway, user: undefined, tempUrl: undefined };
  }

  /** The query is the TempURL's alone: it opens one object in one way, and no manifests or links. */
  async #withTempUrl(call: Call, exchange: Exchange): Promise<Reply> {
    const address = this.options.proxies.clientAddress(exchange.request);
    const { scope, parameters } = await openTempUrl(call, address);
    const reply = await route({ ...call, query: new Map(), tempUrl: scope });
    if (call.target.kind !== 'object') return reply;
    return tempUrlReply(reply, call.method, call.target, parameters);
  }

  /** @throws SwiftError 401 for an invalid token */
  #userOf({ request }: Exchange, target: Target, nowS: number): User | undefined {
    const { headers } = request;
    const token = headers.get('x-auth-token') ?? headers.get('x-storage-token');
    if (token === undefined || token === '') return undefined;
    const user = userOfToken(this.#api.users, token, nowS);
    if (user === undefined) throw unauthorised(target.account);
    return user;
  }

  #baseUrl({ request }: Exchange): string {
    const { proxies } = this.options;
    const host = proxies.forwardedHost(request) ?? request.headers.get('host') ?? 'localhost';
    return `${proxies.scheme(request)}://${host}`;
  }

  async #send(exchange: Exchange, reply: Reply, progress: Progress): Promise<void> {
    const { requestId } = progress;
    const headers = [
      ...reply.headers,
      ['X-Trans-Id', requestId] as const,
      ['X-Openstack-Request-Id', requestId] as const,
    ];
    let sending: MaybePromise<SendResult>;
    try {
      sending = exchange.respond({ ...reply, headers });
    } catch (error) {
      // A value that no header can hold: nothing has been sent.
      this.options.onError?.(error, requestId);
      sending = exchange.respond({ status: 500, headers: [['Content-Type', HTML]] });
    }
    const result = await sending;
    if (result.abortedBy === 'source') this.options.onError?.(result.error, requestId);
    this.#finished(exchange, progress, reply.status, result);
  }

  #finished(exchange: Exchange, progress: Progress, status: number, result: SendResult): void {
    const { request, body, startedAt } = exchange;
    this.options.onFinished?.({
      ...progress,
      status,
      method: request.method,
      path: request.rawPath,
      userAgent: request.headers.get('user-agent') ?? null,
      durationS: (performance.now() - startedAt) / 1000,
      bytesIn: body.bytesReceived,
      bytesOut: result.bytesSent,
      abortedBy: result.abortedBy,
    });
  }
}

/** Names that are not UTF-8 have a status of their own. */
function malformed(reason: string): SwiftError {
  if (reason.includes('UTF-8')) return new SwiftError(412, 'Invalid UTF8 or contains NULL');
  return new SwiftError(400, `${reason}\n`, TEXT);
}
