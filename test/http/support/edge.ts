import type { Exchange, ExchangeHandler } from '../../../src/http/exchange.js';
import type { EdgeLimits } from '../../../src/http/limits.js';
import { serveHttp, type HttpServer, type HttpServerOptions } from '../../../src/http/server.js';
import { RawClient } from '../../support/raw-http.js';

/** An edge with one handler, on a port of its own, and raw clients that end with it. */
export interface Edge {
  readonly server: HttpServer;
  /** The errors that handlers threw. */
  readonly errors: unknown[];
  connect(halfOpen?: boolean): Promise<RawClient>;
}

/** Options of a server on a port of its own, whose handlers may fail. */
export function edgeOptions(more: Partial<HttpServerOptions> = {}): HttpServerOptions {
  const limits = { receiveBufferBytes: 0, ...more.limits };
  return { host: '127.0.0.1', port: 0, onHandlerError: () => undefined, ...more, limits };
}

const open = new Set<{ server: HttpServer; clients: RawClient[] }>();

/**
 * Closed by {@link closeEdges}, which a suite calls after each test. The receive buffer is left to
 * the kernel unless asked for: bounding it costs a process.
 */
export async function startEdge(
  handler: ExchangeHandler,
  limits: Partial<EdgeLimits> = {},
): Promise<Edge> {
  const errors: unknown[] = [];
  const onHandlerError = (error: unknown) => void errors.push(error);
  const server = await serveHttp(edgeOptions({ limits, onHandlerError }), handler);
  const clients: RawClient[] = [];
  open.add({ server, clients });
  return {
    server,
    errors,
    connect: async (halfOpen = false) => {
      const client = await RawClient.connect(server.port, '127.0.0.1', halfOpen);
      clients.push(client);
      return client;
    },
  };
}

export function closeEdges(): void {
  for (const { server, clients } of open) {
    for (const client of clients) client.destroy();
    server.close();
  }
  open.clear();
}

/** Answers every request with its own head as JSON. */
export function echoHead(exchange: Exchange): void {
  const { method, rawPath, rawQuery, headers, remoteAddress, malformed } = exchange.request;
  void exchange.respond({
    status: malformed === undefined ? 200 : 400,
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify({
      method,
      rawPath,
      rawQuery,
      headers: Object.fromEntries(headers),
      remoteAddress,
      malformed,
    }),
  });
}
