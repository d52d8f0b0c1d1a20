import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a test's own. */
export interface Served {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, whatever address it listens on. */
  readonly origin: string;
  /** Stops listening, and cuts the connections that are open. */
  close(): void;
}

/** Starts a server of HTTP. @param port 0 for one that is free */
export async function serve(
  listener: RequestListener,
  host = '127.0.0.1',
  port = 0,
): Promise<Served> {
  const server = createServer(listener).listen(port, host);
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    origin: `http://127.0.0.1:${actual}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
