import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Pool } from 'undici';
import type { Answer } from './answer.js';
import { EndpointHealth } from './endpoint-health.js';
import { slabConnector } from './connector.js';
import type { FilledOptions } from './options.js';
import type { ReadSlabs } from '../../../lib/buffers/read-slabs.js';
import { callStreamed } from './streamed-call.js';
import type { CallParameters } from './call.js';
import type { Upload } from './upload.js';
import { callWhole } from './whole-call.js';

/** More in one answer's head is none of Swift's: 180 headers of system metadata of up to 8 KiB. */
const HEAD_BYTES_MAX = 128 * 1024;

/** One proxy: its connections, how many requests it has, and how it is. */
export class Endpoint {
  readonly health: EndpointHealth;
  /** Requests that it was given and that are not over. */
  inFlight = 0;

  readonly #url: URL;
  readonly #pool: Pool;
  /** Of streams; see streamed-call.ts. */
  readonly #agent: HttpAgent;
  /** It has taken a body without ever saying `100 Continue`. */
  #silent = false;

  constructor(
    /** As configured. */
    readonly name: string,
    private readonly options: FilledOptions,
    slabs: ReadSlabs,
  ) {
    const { connectionsMax, connectTimeoutMs, keepAliveMs } = options;
    this.#url = new URL(name);
    this.health = new EndpointHealth(options);
    this.#pool = new Pool(this.#url.origin, {
      connections: connectionsMax,
      pipelining: 1,
      connect: slabConnector(slabs, connectTimeoutMs),
      keepAliveTimeout: Math.max(1, keepAliveMs),
      keepAliveMaxTimeout: Math.max(1, keepAliveMs),
      maxHeaderSize: HEAD_BYTES_MAX,
    });
    const Agent = this.#url.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({
      keepAlive: keepAliveMs > 0,
      timeout: keepAliveMs,
      maxSockets: connectionsMax,
      maxFreeSockets: connectionsMax,
      scheduling: 'lifo',
    });
  }

  callWhole(call: CallParameters, body: Buffer | undefined): Promise<Answer> {
    return callWhole(this.#pool, call, body);
  }

  /** @param insist see StreamedCallParameters */
  callStreamed(call: CallParameters, upload: Upload, insist: boolean): Promise<Answer> {
    const { connectTimeoutMs, continueTimeoutMs } = this.options;
    return callStreamed({
      ...call,
      upload,
      agent: this.#agent,
      url: this.#url,
      connectTimeoutMs,
      continueTimeoutMs: this.#silent ? 0 : continueTimeoutMs,
      insist: insist || this.#silent,
      onContinue: (came) => {
        this.#silent = !came;
      },
    });
  }

  /** Connections that are open. */
  get connections(): number {
    const sockets = [this.#agent.sockets, this.#agent.freeSockets].flatMap((of) =>
      Object.values(of),
    );
    const streaming = sockets.reduce((sum, list) => sum + (list?.length ?? 0), 0);
    return this.#pool.stats.connected + streaming;
  }

  /** Ends all connections, those in use included. */
  async destroy(): Promise<void> {
    this.#agent.destroy();
    await this.#pool.destroy();
  }
}
