import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../../src/config/options.js';
import type { ConsoleMetrics } from '../../src/telemetry/console-metrics.js';

const PATH = '/metrics';
const CONNECTIONS_MAX = 32;
const TIMEOUT_MS = 10_000;

/** Serves the console's metrics to Prometheus, on an address of their own: no page can ask for them. */
export class MetricsListener {
  readonly #server: Server;

  constructor(
    private readonly address: ListenAddress,
    { registry }: Pick<ConsoleMetrics, 'registry'>,
  ) {
    this.#server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== PATH) {
        response.writeHead(404).end();
        return;
      }
      registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.requestTimeout = TIMEOUT_MS;
    this.#server.headersTimeout = TIMEOUT_MS;
  }

  /** @returns the port @throws system errors when it cannot listen; then it may be tried again */
  async listen(): Promise<number> {
    if (!this.#server.listening) {
      this.#server.listen({ ...this.address, exclusive: true });
      await once(this.#server, 'listening');
    }
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets go of the port. */
  close(): void {
    if (this.#server.listening) this.#server.close();
    this.#server.closeAllConnections();
  }
}
