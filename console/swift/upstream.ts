import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { UpstreamAddress } from './address.js';
import { UpstreamError } from './errors.js';

export interface UpstreamRequest {
  readonly method: string;
  /** The path as it is sent, already encoded. */
  readonly rawPath: string;
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

/** What the console calls itself, so that its own requests can be told from others in logs. */
export const USER_AGENT = 'ringway-console';

const IDLE_MS = 30_000;
const CONNECTIONS_MAX = 128;

/**
 * One address that the console may talk to. `http.request` with a raw path, because `fetch` and
 * `URL` rewrite names with dots in them; redirects are answers like others, never followed.
 */
export class Upstream {
  readonly #agent: http.Agent;

  /** @param tls whom to trust, where it is not the known authorities */
  constructor(
    private readonly address: UpstreamAddress,
    tls: ConnectionOptions = {},
  ) {
    // Shorter than the 5 s after which servers of Python and Node close what is idle.
    const options = { ...tls, keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: 4000 };
    this.#agent = address.secure ? new https.Agent(options) : new http.Agent(options);
  }

  /** @throws UpstreamError when there is no answer; what the body throws, or has failed with before */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const failure = failureOf(request.body);
    if (failure !== null) throw failure;
    return new Promise((resolve, reject) => {
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
      let cause: Error | undefined;
      outgoing.setTimeout(idleMs, () => {
        cause = new UpstreamError('timeout');
        outgoing.destroy(cause);
      });
      outgoing.on('error', (error) => {
        reject(cause ?? (signal?.aborted === true ? error : unavailable(error)));
      });
      outgoing.on('response', (incoming) => {
        // What was refused before all of it was sent would hold the connection until it is idle.
        incoming.once('end', () => {
          if (!outgoing.writableFinished) outgoing.destroy();
        });
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
      });
      if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
        outgoing.end(body);
        return;
      }
      body.once('error', (error) => {
        cause = error;
        outgoing.destroy(error);
      });
      body.pipe(outgoing);
    });
  }

  /** Ends idle connections; those in use end with their requests. */
  close(): void {
    this.#agent.destroy();
  }
}

/** A stream that has failed already says so in no event. */
function failureOf(body: UpstreamRequest['body']): Error | null {
  return typeof body === 'object' && !Buffer.isBuffer(body) ? body.errored : null;
}

function unavailable(error: Error): UpstreamError {
  return new UpstreamError('unavailable', { cause: error });
}

/**
 * Reads a body whole.
 * @throws UpstreamError when it is longer than `bytesMax`, or is cut
 */
export async function readBody(body: Readable, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new UpstreamError('invalid');
      chunks.push(chunk);
    }
  } catch (error) {
    body.destroy();
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError('unavailable', { cause: error });
  }
  return Buffer.concat(chunks);
}
