import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../src/config/options.js';
import type { Logger } from '../src/telemetry/logger.js';
import { listenFailure } from './addresses.js';
import { renderReadiness, type Readiness } from './health.js';

/** What the admin port shows. */
export interface AdminView {
  /** Text for Prometheus. */
  metrics(): Promise<string>;
  readiness(): Readiness;
  /** Becomes JSON. */
  status(): unknown;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** Nobody sends more to this port than a scraper and some probes. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
} as const;
const CONNECTIONS_MAX = 64;

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
};

/** The admin port: read-only, without passwords, apart from S3 so that it never waits behind it. */
export class AdminServer {
  readonly #server: http.Server;

  constructor(
    private readonly view: AdminView,
    private readonly log: Logger,
  ) {
    this.#server = http.createServer(LIMITS, (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** @returns where it listens @throws Failure `listen` */
  async listen(address: ListenAddress): Promise<ListenAddress> {
    try {
      this.#server.listen({ host: address.host, port: address.port, exclusive: true });
      await once(this.#server, 'listening');
    } catch (error) {
      throw listenFailure('admin_listen', address, error);
    }
    const { port } = this.#server.address() as AddressInfo;
    return { host: address.host, port };
  }

  /** Ends all connections; nobody waits for these answers once the service is down. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
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
    response.writeHead(answer.status, {
      'Content-Type': answer.type,
      'Content-Length': Buffer.byteLength(answer.body),
      'Cache-Control': 'no-store',
    });
    response.end(answer.body);
  }

  #route(request: http.IncomingMessage): Answer | Promise<Answer> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
    if (route === undefined) return { status: 404, type: TEXT, body: 'not found\n' };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, type: TEXT, body: 'method not allowed\n' };
    }
    return route(this.view, new URLSearchParams(query));
  }
}
