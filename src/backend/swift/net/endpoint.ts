import type { ReadSlabs } from '../../../lib/buffers/read-slabs.js';
import { HttpPool } from '../../../lib/http-client/pool.js';
import type { Answer } from './answer.js';
import { EndpointHealth } from './endpoint-health.js';
import type { FilledOptions, CallParameters } from './options.js';
import { RunningAttempts } from './running-attempt.js';
import { callStreamed } from './streamed-call.js';
import { Upload } from './upload.js';
import { callWhole } from './whole-call.js';

/** More in one answer's head is none of Swift's: 180 headers of system metadata of up to 8 KiB. */
const HEAD_BYTES_MAX = 128 * 1024;

/** For what is asked of an endpoint whose connections all have a request: probes, and `/info`. */
const SPARE_CONNECTIONS = 4;

/** An endpoint as it is chosen and watched, whatever requests are sent with. */
export type EndpointState = Pick<Endpoint, 'name' | 'health' | 'running' | 'inFlight'>;

/** One proxy: its connections, how many requests it has, and how it is. */
export class Endpoint {
  readonly health: EndpointHealth;
  /** Attempts that it has not answered. */
  readonly running = new RunningAttempts();
  /** Requests that it was given and that are not over. */
  inFlight = 0;

  readonly #pool: HttpPool;
  /** It has taken a body without ever saying `100 Continue`. */
  #silent = false;

  constructor(
    /** The endpoint as configured. */
    readonly name: string,
    private readonly options: FilledOptions,
    slabs: ReadSlabs,
  ) {
    const { connectionsMax, connectTimeoutMs, headersTimeoutMs, keepAliveMs } = options;
    this.health = new EndpointHealth(options);
    const poolOptions = {
      origin: new URL(name),
      connectionsMax: connectionsMax + SPARE_CONNECTIONS,
      connectTimeoutMs,
      waitTimeoutMs: headersTimeoutMs,
      keepAliveMs,
      headBytesMax: HEAD_BYTES_MAX,
    };
    this.#pool = new HttpPool(poolOptions, slabs);
  }

  /**
   * One attempt.
   * @param insist see StreamedCallParameters
   * @throws AttemptError
   */
  send(call: CallParameters, body: Buffer | Upload | undefined, insist: boolean): Promise<Answer> {
    if (!(body instanceof Upload)) return callWhole(this.#pool, call, body);
    return callStreamed(this.#pool, {
      ...call,
      upload: body,
      continueTimeoutMs: this.#silent ? 0 : this.options.continueTimeoutMs,
      insist: insist || this.#silent,
      onContinue: (came) => {
        this.#silent = !came;
      },
    });
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#pool.connected;
  }

  /** Ends all connections, those in use included. */
  destroy(): void {
    this.#pool.destroy();
  }
}
