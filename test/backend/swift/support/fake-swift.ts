import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Raw, with the query. */
  readonly url: string;
  /** Values as bytes, one character each. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The port that it came from: which connection it was. */
  readonly port: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** It waits for `100 Continue`, which the step says, or does not. */
  readonly expects: boolean;
  /** All of the body; says `100 Continue` first where that is expected. */
  body(): Promise<Buffer>;
}

/** The server's handling of one request. */
export type Step = (request: SeenRequest) => void | Promise<void>;

/** A Swift of scripted behaviour on a port of its own; logins, tokens and the health check work. */
export class FakeSwift {
  /** All but logins and health checks, in the order of arrival. */
  readonly seen: SeenRequest[] = [];
  /** Taken by the requests in turn; the last one stays. */
  steps: Step[] = [answer(200)];
  /** The step of `/healthcheck`. */
  health: Step = answer(200, 'OK');
  /** The step of `/auth/v1.0`. */
  login: Step;
  logins = 0;
  probes = 0;
  connections = 0;
  /** Requests without the token that was given out last are answered 401. */
  checksTokens = true;
  /** The token that is given out; another one after `forgetTokens`. */
  token = 'token-0';
  tokenSeconds: number | undefined = 86_400;

  #tokenCount = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  private constructor() {
    this.login = ({ response, headers }) => {
      const known = headers['x-auth-key'] === 'testing';
      if (this.tokenSeconds !== undefined) {
        response.setHeader('X-Auth-Token-Expires', this.tokenSeconds);
      }
      if (known) response.setHeader('X-Auth-Token', this.token);
      response.writeHead(known ? 200 : 401).end();
    };
  }

  static async start(): Promise<FakeSwift> {
    const fake = new FakeSwift();
    await fake.start();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Again on the same port. */
  async start(): Promise<void> {
    const server = createServer({ keepAliveTimeout: 0 });
    const serve =
      (expects: boolean) =>
      (incoming: IncomingMessage, response: ServerResponse): void => {
        void this.#serve(incoming, response, expects);
      };
    server.on('request', serve(false)).on('checkContinue', serve(true));
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** From now on connections are refused, and those that are open are gone. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    this.dropConnections();
    await closed;
  }

  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** As when memcached restarts: no token is known any more. */
  forgetTokens(): void {
    this.#tokenCount += 1;
    this.token = `token-${this.#tokenCount}`;
  }

  async #serve(
    incoming: IncomingMessage,
    response: ServerResponse,
    expects: boolean,
  ): Promise<void> {
    const request = seenRequest(incoming, response, expects);
    incoming.on('error', () => undefined);
    await this.#step(request)(request);
  }

  #step(request: SeenRequest): Step {
    if (request.url === '/auth/v1.0') {
      this.logins += 1;
      return this.login;
    }
    if (request.url === '/healthcheck') {
      this.probes += 1;
      return this.health;
    }
    this.seen.push(request);
    const authorised = request.headers['x-auth-token'] === this.token || request.url === '/info';
    if (this.checksTokens && !authorised) return answer(401);
    return (this.steps.length > 1 ? this.steps.shift() : this.steps[0]) ?? answer(200);
  }
}

function seenRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  expects: boolean,
): SeenRequest {
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: incoming.headers,
    port: incoming.socket.remotePort ?? 0,
    incoming,
    response,
    expects,
    async body() {
      if (expects) response.writeContinue();
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
  };
}

/** Answers when the body is there. */
export function answer(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Step {
  return async (request) => {
    // As Swift: what is refused is not read.
    if (status < 300) await request.body();
    const { response } = request;
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers });
    response.end(body);
    if (status >= 300 && request.expects)
      response.on('finish', () => request.incoming.socket.end());
  };
}

/** Ends the connection without an answer. */
export const reset: Step = ({ incoming }) => {
  incoming.socket.resetAndDestroy();
};

/** Never answers. */
export const hang: Step = () => undefined;

/** Announces this many bytes and sends fewer, then ends the connection. */
export function shortBody(
  announced: number,
  sent: string,
  headers: Readonly<Record<string, string>> = {},
): Step {
  return ({ response, incoming }) => {
    response.writeHead(200, { 'Content-Length': announced, ...headers });
    response.write(sent, () => {
      incoming.socket.destroy();
    });
  };
}
