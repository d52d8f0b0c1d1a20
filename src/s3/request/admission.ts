import { performance } from 'node:perf_hooks';
import { Semaphore, type SemaphoreRefusal } from '../../lib/semaphore.js';
import { TokenBuckets } from '../../lib/token-buckets.js';
import type { ByteSource } from '../../lib/cancellation.js';
import type { S3Response } from '../operation.js';
import { S3Error } from '../errors.js';

/** Why requests are sent away; becomes a label. */
export type RejectReason =
  'queue_full' | 'wait_timeout' | 'memory_queue_full' | 'memory_wait_timeout' | 'rate';

export interface AdmissionOptions {
  readonly inFlightMax: number;
  readonly bodyBytesMax: number;
  readonly queueMax: number;
  readonly waitMsMax: number;
  readonly ratePerS: number;
  readonly rateBurst: number;
}

export interface AdmissionMetrics {
  rejected(reason: RejectReason): void;
  /** Called for a request that had to wait, with any outcome. */
  waited(seconds: number): void;
}

/** Bodies up to this size are no matter: those in flight have a bound by their number. */
const SMALL_BODY_BYTES = 64 * 1024;
/**
 * The most that a body under way holds, for any length: 256 KiB unread and one chunk of 512 KiB on
 * the way in; a chunk of 512 KiB and the bytes that the client has not taken yet on the way out.
 */
const BODY_BYTES_MAX = 1024 * 1024;
/**
 * The most that a body may have sent along with the header block before it can be told to wait: the
 * bytes that the library reads at once. So requests that wait for memory take no more than those
 * that have it.
 */
const WAITING_BODY_BYTES_MAX = 512 * 1024;

/** Clients of AWS back off by themselves; others are told. */
const RETRY_AFTER_S = 1;

/**
 * Keeps the requests under way within the limits of the listener: their number by weight, and the
 * memory of their bodies. Other requests wait for a moment, in a line of bounded length, and then
 * learn to slow down, which costs less than to serve them late.
 */
export class Admission {
  readonly requests: Semaphore;
  readonly bodies: Semaphore;
  readonly #rates: TokenBuckets;

  constructor(
    { inFlightMax, bodyBytesMax, queueMax, waitMsMax, ratePerS, rateBurst }: AdmissionOptions,
    private readonly metrics: AdmissionMetrics,
  ) {
    this.requests = new Semaphore({ capacity: inFlightMax, queueMax, waitMsMax });
    const bodiesWaitMax = Math.min(queueMax, Math.floor(bodyBytesMax / WAITING_BODY_BYTES_MAX));
    this.bodies = new Semaphore({ capacity: bodyBytesMax, queueMax: bodiesWaitMax, waitMsMax });
    this.#rates = new TokenBuckets({ perS: ratePerS, burst: rateBurst });
  }

  /** For one request. */
  ticket(): AdmissionTicket {
    return new AdmissionTicket(this);
  }

  /** @throws S3Error `SlowDown` when this key has had its share */
  checkRate(accessKey: string): void {
    if (this.#rates.take(accessKey)) return;
    this.metrics.rejected('rate');
    throw slowDown();
  }

  /** @returns seconds that it took @throws S3Error `SlowDown` */
  async wait(gate: Semaphore, weight: number): Promise<number> {
    const since = performance.now();
    const refusal = await gate.enter(weight);
    const seconds = (performance.now() - since) / 1000;
    if (refusal !== 'queue_full') this.metrics.waited(seconds);
    if (refusal === undefined) return seconds;
    this.metrics.rejected(gate === this.bodies ? MEMORY_REASON[refusal] : refusal);
    throw slowDown();
  }
}

const MEMORY_REASON: Readonly<Record<SemaphoreRefusal, RejectReason>> = {
  queue_full: 'memory_queue_full',
  wait_timeout: 'memory_wait_timeout',
};

/** The share of one request, which is given back whole when it is over. */
export class AdmissionTicket {
  /** Seconds in which it waited to be let in. */
  waitedS = 0;
  #weight = 0;
  #bodyBytes = 0;

  constructor(private readonly admission: Admission) {}

  /**
   * Lets the request in.
   * @param weight - of the operation, in requests of one object
   * @param uploadBytes - of its body; undefined when unknown
   * @returns undefined when it is in at once
   * @throws S3Error `SlowDown`, by the promise
   */
  enter(weight: number, uploadBytes: number | undefined): Promise<void> | undefined {
    const bodyBytes = held(uploadBytes);
    const { requests, bodies } = this.admission;
    // Memory first: a request that waits for a turn may hold some already.
    if (bodyBytes > 0) {
      if (!bodies.tryEnter(bodyBytes)) return this.#waitForBoth(weight, bodyBytes);
      this.#bodyBytes = bodyBytes;
    }
    if (!requests.tryEnter(weight)) return this.#waitForTurn(weight);
    this.#weight = weight;
    return undefined;
  }

  /**
   * The same for the body of an answer.
   * @throws S3Error `SlowDown`, by the promise
   */
  enterDownload({ body, contentLength }: S3Response): Promise<void> | undefined {
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return undefined;
    const bytes = held(contentLength) - this.#bodyBytes;
    if (bytes <= 0) return undefined;
    if (!this.admission.bodies.tryEnter(bytes)) return this.#waitToSend(body, bytes);
    this.#bodyBytes += bytes;
    return undefined;
  }

  /** The request is over. */
  leave(): void {
    if (this.#weight > 0) this.admission.requests.leave(this.#weight);
    if (this.#bodyBytes > 0) this.admission.bodies.leave(this.#bodyBytes);
    this.#weight = 0;
    this.#bodyBytes = 0;
  }

  async #waitForBoth(weight: number, bodyBytes: number): Promise<void> {
    await this.#waitForMemory(bodyBytes);
    await this.#waitForTurn(weight);
  }

  async #waitForTurn(weight: number): Promise<void> {
    this.waitedS += await this.admission.wait(this.admission.requests, weight);
    this.#weight = weight;
  }

  async #waitToSend(body: ByteSource, bytes: number): Promise<void> {
    try {
      await this.#waitForMemory(bytes);
    } catch (error) {
      // The body may hold a file, or a connection to the store.
      await body[Symbol.asyncIterator]().return?.();
      throw error;
    }
  }

  async #waitForMemory(bytes: number): Promise<void> {
    this.waitedS += await this.admission.wait(this.admission.bodies, bytes);
    this.#bodyBytes += bytes;
  }
}

function held(bytes: number | undefined): number {
  if (bytes === undefined) return BODY_BYTES_MAX;
  return bytes <= SMALL_BODY_BYTES ? 0 : Math.min(bytes, BODY_BYTES_MAX);
}

function slowDown(): S3Error {
  const headers = [['Retry-After', String(RETRY_AFTER_S)]] as const;
  return new S3Error('SlowDown', undefined, {}, { headers });
}
