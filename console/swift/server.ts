import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { AttemptError } from '../../src/backend/swift/net/retry-policy.js';
import type { UpstreamAddress } from './address.js';
import { UpstreamError } from './errors.js';

export interface UpstreamRequest {
  readonly method: string;
  /** The path as it is sent, already encoded. */
  readonly rawPath: string;
  /** Names in lower case; values are bytes as Latin-1: see `headerText`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable | undefined;
  /** How long nothing may happen on the connection. */
  readonly idleMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, to be read, dumped or destroyed: it holds a connection. */
  readonly body: IncomingMessage;
}

/** The console's own name, so that its requests can be told from others in logs. */
export const USER_AGENT = 'ringway-console';

const IDLE_MS = 30_000;
export const CONNECTIONS_MAX = 128;

/** One request at one server. */
export interface Sending {
  /** @throws AttemptError, whose `cause` is what the caller is told */
  readonly answer: Promise<UpstreamAnswer>;
  /** Whether anything was taken of a body that is a stream. */
  readonly begun: boolean;
  /** Ends it, so that it is sent elsewhere. */
  takeBack(reason: Error): void;
}

/**
 * One address that the console may talk to. `http.request` with a raw path, because `fetch` and
 * `URL` rewrite names with dots in them; redirects are answers like others, never followed.
 */
export class Server {
  /** For messages: no path, no user. */
  readonly name: string;
  readonly #agent: http.Agent;

  /** @param tls whom to trust, where it is not the known authorities */
  constructor(
    private readonly address: UpstreamAddress,
    tls: ConnectionOptions = {},
  ) {
    const { secure, host, port } = address;
    this.name = `${secure ? 'https' : 'http'}://${host}:${port}`;
    // Shorter than the 5 s after which servers of Python and Node close what is idle.
    const options = { ...tls, keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: 4000 };
    this.#agent = secure ? new https.Agent(options) : new http.Agent(options);
  }

  send(request: UpstreamRequest): Sending {
    const { host, port, basePath, secure } = this.address;
    const { method, rawPath, headers, body, signal, idleMs = IDLE_MS } = request;
    const outgoing = (secure ? https : http).request({
      agent: this.#agent,
      host,
      port,
      method,
      path: basePath + rawPath,
      headers: { 'accept-encoding': 'identity', 'user-agent': USER_AGENT, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
    const state = { begun: false, isConnected: false };
    let cause: Error | undefined;
    let takenBack: Error | undefined;
    const failed = (error: Error): AttemptError => {
      const { name } = this;
      const [stage, kind] = state.isConnected
        ? (['unanswered', 'reset'] as const)
        : (['unsent', 'connect'] as const);
      const hung = new UpstreamError('timeout', { cause: takenBack });
      if (takenBack !== undefined) return new AttemptError(stage, 'hung', name, hung);
      if (cause instanceof UpstreamError) return new AttemptError(stage, 'timeout', name, cause);
      if (cause !== undefined) return new AttemptError('given_up', 'body', name, cause);
      if (signal?.aborted === true) return new AttemptError('given_up', 'abort', name, error);
      const lost = new UpstreamError('unavailable', { cause: error });
      return new AttemptError(stage, kind, name, lost);
    };
    const answer = new Promise<UpstreamAnswer>((resolve, reject) => {
      outgoing.setTimeout(idleMs, () => {
        cause = new UpstreamError('timeout');
        outgoing.destroy(cause);
      });
      outgoing.on('error', (error) => {
        reject(failed(error));
      });
      outgoing.on('response', (incoming) => {
        // A request refused before all of it was sent would hold the connection until it is idle.
        incoming.once('end', () => {
          if (!outgoing.writableFinished) outgoing.destroy();
        });
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
      });
    });
    const isStream = isReadable(body);
    if (isStream) {
      body.once('error', (error) => {
        cause ??= error;
        outgoing.destroy(error);
      });
    }
    onConnected(outgoing, secure, () => {
      state.isConnected = true;
      // Not before: what is read of a stream cannot be sent to another server.
      if (!isStream || outgoing.destroyed) return;
      state.begun = true;
      body.pipe(outgoing);
    });
    if (!isStream) outgoing.end(body);
    return {
      answer,
      get begun() {
        return state.begun;
      },
      takeBack(reason) {
        takenBack = reason;
        outgoing.destroy(reason);
      },
    };
  }

  /** Ends idle connections; those in use end with their requests. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Whether a body comes as it is read, and so can be sent but once. */
export function isReadable(body: UpstreamRequest['body']): body is Readable {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

function onConnected(outgoing: http.ClientRequest, secure: boolean, then: () => void): void {
  outgoing.once('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    // A kept connection has neither event any more.
    if (!socket.connecting && socket.secureConnecting !== true) then();
    else socket.once(secure ? 'secureConnect' : 'connect', then);
  });
}
