import type { ReadSlabs } from '../../../lib/buffers/read-slabs.js';
import { HttpPool } from '../../../lib/http-client/pool.js';
import type { Answer } from './answer.js';
import type { FilledOptions, CallParameters } from './options.js';
import { callStreamed } from './streamed-call.js';
import { Upload } from './upload.js';
import { callWhole } from './whole-call.js';

/** How failures in a row become ejections. All times by a clock that never jumps. */
interface HealthOptions {
  readonly ejectAfter: number;
  readonly ejectMs: number;
  readonly ejectMsMax: number;
}

/**
 * Whether an endpoint is asked. A connection that failed, a time-out, and 502, 503 or 504 count
 * against it; an answer of any other kind clears it. One that was ejected comes back on trial: the
 * next failure ejects it again, for twice as long.
 */
export class EndpointHealth {
  #failures = 0;
  /** Ejections in a row, without an answer in between. */
  #ejections = 0;
  #ejectedAt: number | undefined;
  #ejectedForMs = 0;

  constructor(private readonly options: HealthOptions) {}

  get well(): boolean {
    return this.#ejectedAt === undefined;
  }

  /** When it was last given up on; undefined while it is well. */
  get ejectedAt(): number | undefined {
    return this.#ejectedAt;
  }

  /** How long the ejection lasts that `failed` has begun. */
  get ejectedForMs(): number {
    return this.#ejectedForMs;
  }

  /** @returns whether that was an ejection */
  failed(now: number): boolean {
    if (this.#ejectedAt !== undefined) {
      // It was asked since all others were ejected too: now another one is the oldest.
      this.#ejectedAt = now;
      return false;
    }
    this.#failures += 1;
    if (this.#failures < this.options.ejectAfter && this.#ejections === 0) return false;
    this.#eject(now);
    return true;
  }

  /** @returns whether it was ejected until now */
  answered(): boolean {
    const back = this.#ejectedAt !== undefined;
    this.#failures = 0;
    this.#ejections = 0;
    this.#ejectedAt = undefined;
    return back;
  }

  /** A probe was answered: on trial from now on. */
  probed(): void {
    this.#ejectedAt = undefined;
  }

  /** A probe failed: out for longer. */
  probeFailed(now: number): void {
    this.#eject(now);
  }

  #eject(now: number): void {
    const { ejectMs, ejectMsMax } = this.options;
    this.#ejectedForMs = Math.min(ejectMs * 2 ** this.#ejections, ejectMsMax);
    this.#ejections += 1;
    this.#ejectedAt = now;
  }
}

/** More in one answer's head is none of Swift's: 180 headers of system metadata of up to 8 KiB. */
const HEAD_BYTES_MAX = 128 * 1024;

/** For what is asked of an endpoint whose connections all have a request: probes, and `/info`. */
const SPARE_CONNECTIONS = 4;

/** One proxy: its connections, how many requests it has, and how it is. */
export class Endpoint {
  readonly health: EndpointHealth;
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
    const { connectionsMax, connectTimeoutMs, keepAliveMs } = options;
    this.health = new EndpointHealth(options);
    const poolOptions = {
      origin: new URL(name),
      connectionsMax: connectionsMax + SPARE_CONNECTIONS,
      connectTimeoutMs,
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
