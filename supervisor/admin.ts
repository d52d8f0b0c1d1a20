import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { readAdminToken } from '../src/config/secret-file.js';
import { AllowedHosts } from '../src/config/allowed-hosts.js';
import type { Certificate } from '../src/config/certificates.js';
import type { FilledOptions, ListenAddress } from '../src/config/options.js';
import type { Logger } from '../src/telemetry/logger.js';
import { listenAlone } from './addresses.js';
import { BearerToken } from './bearer-token.js';
import type { LogTail } from './log-tail.js';
import { labels, labelValues, queryRange, type LokiAnswer } from './loki.js';
import { lookAtTrace, type RequestTraces } from './request-traces.js';
import { renderReadiness, type Readiness } from './health.js';

/** The data that the admin port shows. */
export interface AdminView {
  /** Text for Prometheus. */
  metrics(): Promise<string>;
  readiness(): Readiness;
  /** Become JSON. */
  status(): unknown;
  stages(): Promise<unknown>;
  readonly logs: LogTail;
  readonly traces: RequestTraces;
}

/** The options that decide who may ask. */
type AdminAccess = Pick<FilledOptions, 'adminListen' | 'adminAllowedHosts' | 'adminTokenFile'>;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** Limits for this port: it serves a scraper and some probes. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
} as const;
const CONNECTIONS_MAX = 64;

/** A page of another name that was made to point here (DNS rebinding) learns nothing but this. */
const WRONG_HOST = 'not answered under this name: see admin_allowed_hosts\n';

type Route = (view: AdminView, query: URLSearchParams) => Answer | Promise<Answer>;

const ROUTES: Readonly<Record<string, Route>> = {
  '/livez': () => ({ status: 200, type: TEXT, body: 'ok\n' }),
  '/readyz': (view, query) => {
    const readiness = view.readiness();
    const body = query.has('verbose') ? renderReadiness(readiness) : `${readiness.state}\n`;
    return { status: readiness.ready ? 200 : 503, type: TEXT, body };
  },
  '/metrics': async (view) => ({ status: 200, type: PROMETHEUS_TEXT, body: await view.metrics() }),
  '/statusz': (view) => ({
    status: 200,
    type: 'application/json',
    body: `${JSON.stringify(view.status(), null, 2)}\n`,
  }),
  '/recon/stage': async (view) => json({ status: 200, body: await view.stages() }),
  '/tracez': (view, query) => json(lookAtTrace(view.traces, query)),
  '/loki/api/v1/query_range': (view, query) => json(queryRange(view.logs, query, Date.now())),
  '/loki/api/v1/labels': (view) => json(labels(view.logs)),
};

/** The one kind of paths with a name in it. */
const LABEL_VALUES = /^\/loki\/api\/v1\/label\/(\w+)\/values$/;

function routeOf(path: string): Route | undefined {
  const label = LABEL_VALUES.exec(path)?.[1];
  if (label !== undefined) return (view) => json(labelValues(view.logs, label));
  return Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
}

function json({ status, body }: LokiAnswer): Answer {
  return typeof body === 'string'
    ? { status, type: TEXT, body }
    : { status, type: 'application/json', body: `${JSON.stringify(body)}\n` };
}

/**
 * Paths that load balancers ask for, which have no token. They answer one word each; `?verbose`
 * needs the token, since its details are confidential.
 */
const OPEN_TO_ALL: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz']);

/** The admin port: read-only, apart from S3 so that it never waits behind it. */
export class AdminServer {
  /** Takes the connections, and hands them to whichever speaks now. */
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #speaker: http.Server;
  #certificate: Certificate | undefined;
  #token: BearerToken | undefined;
  #hosts: AllowedHosts;

  readonly #onRequest = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    void this.#answer(request, response);
  };

  constructor(
    private readonly view: AdminView,
    private readonly log: Logger,
    options: AdminAccess,
  ) {
    this.#hosts = new AllowedHosts(options.adminListen, options.adminAllowedHosts);
    this.useAccess(options);
    this.#speaker = this.#speakerWith(undefined);
    this.#server = net.createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#speaker.emit('connection', socket);
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /**
   * From now on requires this configuration's token, where there is one, and answers under its
   * names.
   */
  useAccess(options: AdminAccess): void {
    const token = readAdminToken(options);
    this.#token = token === undefined ? undefined : new BearerToken(token);
    this.#hosts = new AllowedHosts(options.adminListen, options.adminAllowedHosts);
  }

  /** Speaks TLS with it on connections that are made from now on; plain HTTP without one. */
  useCertificate(certificate: Certificate | undefined): void {
    // Else a reload that is about something else would close kept connections under requests.
    if (isDeepStrictEqual(certificate, this.#certificate)) return;
    this.#certificate = certificate;
    this.#speaker.close();
    this.#speaker = this.#speakerWith(certificate);
  }

  #speakerWith(certificate: Certificate | undefined): http.Server {
    const speaker =
      certificate === undefined
        ? http.createServer(LIMITS, this.#onRequest)
        : https.createServer({ ...LIMITS, ...certificate }, this.#onRequest);
    // It is given its connections; but only with this event does it keep its time limits.
    speaker.emit('listening');
    return speaker;
  }

  /** @returns where it listens @throws Failure `listen` */
  listen(address: ListenAddress): Promise<ListenAddress> {
    return listenAlone(this.#server, 'admin_listen', address);
  }

  /** Ends all connections: these answers have no use once the service is down. */
  close(): void {
    this.#server.close();
    this.#speaker.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      answer = await this.#route(request);
    } catch (error) {
      this.log.error({ err: error, path: request.url }, 'admin request failed');
      answer = { status: 500, type: TEXT, body: 'internal error\n' };
    }
    if (answer.status === 405) response.setHeader('Allow', 'GET, HEAD');
    if (answer.status === 401) response.setHeader('WWW-Authenticate', 'Bearer realm="ringway"');
    response.writeHead(answer.status, {
      'Content-Type': answer.type,
      'Content-Length': Buffer.byteLength(answer.body),
      'Cache-Control': 'no-store',
    });
    response.end(answer.body);
  }

  #route(request: http.IncomingMessage): Answer | Promise<Answer> {
    // A request for the path without a query asks for no details.
    const isOpen = OPEN_TO_ALL.has(request.url);
    if (!isOpen && !this.#hosts.hasOrIsAddress(request.headers.host)) {
      return { status: 421, type: TEXT, body: WRONG_HOST };
    }
    if (!isOpen && this.#token?.isIn(request) === false) {
      return { status: 401, type: TEXT, body: 'unauthorized\n' };
    }
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const route = routeOf(path);
    if (route === undefined) return { status: 404, type: TEXT, body: 'not found\n' };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, type: TEXT, body: 'method not allowed\n' };
    }
    return route(this.view, new URLSearchParams(query));
  }
}
