import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { EndpointHealth } from '../../src/backend/swift/net/endpoint-health.js';
import { EndpointWatch } from '../../src/backend/swift/net/endpoint-watch.js';
import { Endpoints } from '../../src/backend/swift/net/endpoints.js';
import { TRANSPORT_DEFAULTS } from '../../src/backend/swift/net/options.js';
import { AttemptError, isBusy, retryReason } from '../../src/backend/swift/net/retry-policy.js';
import { RunningAttempts } from '../../src/backend/swift/net/running-attempt.js';
import type { UpstreamAddress } from './address.js';
import { UpstreamError } from './errors.js';
import {
  CONNECTIONS_MAX,
  isReadable,
  Server,
  type UpstreamAnswer,
  type UpstreamRequest,
} from './server.js';

export { USER_AGENT, type UpstreamAnswer, type UpstreamRequest } from './server.js';

/** Methods that change nothing: sent twice is as once. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const HEALTH_PATH = '/healthcheck';

/** One of several servers that can stand in for each other. */
class Proxy {
  readonly name: string;
  readonly health = new EndpointHealth(TRANSPORT_DEFAULTS);
  readonly running = new RunningAttempts();
  inFlight = 0;

  constructor(readonly server: Server) {
    this.name = server.name;
  }
}

/**
 * The servers that the console may talk to: one address, or the proxies of a cluster. Of several,
 * the one is asked that the gateway would ask: its own code says which is well, and when a request
 * may be sent to another one.
 */
export class Upstream {
  readonly #servers: readonly Server[];
  readonly #endpoints: Endpoints<Proxy>;
  readonly #watch: EndpointWatch<Proxy>;

  /** @param tls whom to trust, where it is not the known authorities */
  constructor(
    addresses: UpstreamAddress | readonly UpstreamAddress[],
    tls: ConnectionOptions = {},
  ) {
    this.#servers = [addresses].flat().map((address) => new Server(address, tls));
    const proxies = this.#servers.map((server) => new Proxy(server));
    const options = { ...TRANSPORT_DEFAULTS, connectionsMax: CONNECTIONS_MAX };
    this.#endpoints = new Endpoints(proxies, options);
    this.#watch = new EndpointWatch({
      endpoints: proxies,
      probe: (proxy) => probe(proxy, options.probeTimeoutMs),
      restored: () => {
        this.#endpoints.serveWaiters();
      },
      options,
    });
  }

  /** @throws UpstreamError when there is no answer; what the body throws, or has failed with before */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const failure = failureOf(request.body);
    if (failure !== null) throw failure;
    const [only] = this.#servers;
    if (this.#servers.length === 1 && only !== undefined) {
      return settled(await only.send(request).answer.catch(asAttempt));
    }
    const failed: Proxy[] = [];
    for (;;) {
      const proxy = await this.#acquire(failed);
      const { outcome, begun } = await this.#try(proxy, request);
      const upload = isReadable(request.body) ? { begun } : undefined;
      const reason = retryReason(outcome, { upload, repeatable: SAFE.has(request.method) });
      // The same proxy is not asked again: the caller can do that.
      if (reason === undefined || !this.#endpoints.hasOther(proxy, failed)) return settled(outcome);
      if (!(outcome instanceof AttemptError)) outcome.body.destroy();
      failed.push(proxy);
    }
  }

  /** Ends idle connections; those in use end with their requests. */
  close(): void {
    this.#watch.close();
    for (const server of this.#servers) server.close();
  }

  async #acquire(failed: readonly Proxy[]): Promise<Proxy> {
    try {
      return await this.#endpoints.acquire(failed, undefined);
    } catch (error) {
      throw new UpstreamError('unavailable', { cause: error });
    }
  }

  async #try(proxy: Proxy, request: UpstreamRequest) {
    const { server, running, health } = proxy;
    const startedMs = performance.now();
    const sending = server.send(request);
    const isSafe = SAFE.has(request.method);
    const attempt = {
      isWaiting: isSafe,
      isMovable: isSafe,
      takeBack: (reason: Error) => {
        sending.takeBack(reason);
      },
    };
    running.begin(attempt, startedMs);
    const outcome = await sending.answer.catch(asAttempt);
    running.end(attempt);
    const release = (): void => {
      this.#endpoints.release(proxy);
    };
    if (outcome instanceof AttemptError) {
      release();
      if (outcome.stage !== 'given_up') this.#watch.failed(proxy, outcome.message);
    } else {
      outcome.body.once('close', release);
      running.heard(performance.now());
      if (isSafe) health.latencies.add(performance.now() - startedMs);
      if (isBusy(outcome.status)) this.#watch.failed(proxy, `it answers ${outcome.status}`);
      else this.#watch.answered(proxy);
    }
    return { outcome, begun: sending.begun };
  }
}

/** @throws AttemptError; UpstreamError for a proxy that says that it is not well */
async function probe({ server }: Proxy, timeoutMs: number): Promise<void> {
  const { status, body } = await server.send({
    method: 'GET',
    rawPath: HEALTH_PATH,
    idleMs: timeoutMs,
  }).answer;
  body.resume();
  if (status >= 500) throw new UpstreamError('unavailable');
}

function asAttempt(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error;
  throw error;
}

function settled(outcome: UpstreamAnswer | AttemptError): UpstreamAnswer {
  if (outcome instanceof AttemptError) throw outcome.cause;
  return outcome;
}

/** A stream that has failed already says so in no event. */
function failureOf(body: UpstreamRequest['body']): Error | null {
  return isReadable(body) ? body.errored : null;
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
