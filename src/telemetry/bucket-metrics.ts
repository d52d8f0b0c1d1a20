import { Counter } from 'prom-client';
import type { Registers } from './collected.js';
import type { FinishedRequest } from './metrics.js';

interface BucketTally {
  readonly account: string;
  readonly bucket: string;
  requests: number;
  errors: number;
  bytesIn: number;
  bytesOut: number;
}

/** A name that no bucket and no account has. */
const OTHER = '_other';

/** Common to the names of all of these metrics. */
export const BUCKET_METRICS_PREFIX = 'ringway_bucket_';

/**
 * The use of buckets: those that were used last, each by itself, and all others together. A bucket
 * that is pushed out goes to the others with all it has, so that the sums stay right.
 *
 * Each listener has its own: with its number as a label, a series that ends here and begins anew is
 * a reset to Prometheus, and never a part of a sum that falls.
 */
export class BucketMetrics {
  /** The buckets in the order of their last use. */
  readonly #buckets = new Map<string, BucketTally>();
  readonly #other: BucketTally = newTally(OTHER, OTHER);
  #max = 0;
  #worker = '';

  constructor(registers: Registers) {
    this.#register('requests_total', 'Requests to a bucket.', (tally) => tally.requests, registers);
    this.#register(
      'errors_total',
      'Requests to a bucket that were answered with a status of 500 or above.',
      (tally) => tally.errors,
      registers,
    );
    this.#register(
      'received_bytes_total',
      'Bytes of request bodies received for a bucket.',
      (tally) => tally.bytesIn,
      registers,
    );
    this.#register(
      'sent_bytes_total',
      'Bytes of response bodies sent from a bucket.',
      (tally) => tally.bytesOut,
      registers,
    );
  }

  /**
   * @param max - buckets that are told apart; 0: none of these metrics
   * @param worker - the listener's number
   */
  limit(max: number, worker: number): void {
    this.#max = max;
    this.#worker = String(worker);
  }

  /**
   * Counts a finished request. Only admitted requests for existing buckets count: clients choose
   * the names.
   */
  finished(request: FinishedRequest): void {
    const { account, bucket, errorCode } = request;
    if (this.#max === 0 || account === '' || bucket === '' || errorCode === 'NoSuchBucket') return;
    const tally = this.#use(account, bucket);
    tally.requests += 1;
    if (request.status >= 500) tally.errors += 1;
    tally.bytesIn += request.bytesIn;
    tally.bytesOut += request.bytesOut;
  }

  #use(account: string, bucket: string): BucketTally {
    const key = `${account}/${bucket}`;
    const tally = this.#buckets.get(key) ?? newTally(account, bucket);
    this.#buckets.delete(key);
    this.#buckets.set(key, tally);
    if (this.#buckets.size > this.#max) this.#pushOut();
    return tally;
  }

  #pushOut(): void {
    const [oldest] = this.#buckets;
    if (oldest === undefined) return;
    const [key, tally] = oldest;
    this.#buckets.delete(key);
    this.#other.requests += tally.requests;
    this.#other.errors += tally.errors;
    this.#other.bytesIn += tally.bytesIn;
    this.#other.bytesOut += tally.bytesOut;
  }

  *#tallies(): Generator<BucketTally> {
    if (this.#max === 0) return;
    yield* this.#buckets.values();
    yield this.#other;
  }

  #register(
    name: string,
    help: string,
    read: (tally: BucketTally) => number,
    registers: Registers,
  ): void {
    const tallies = () => this.#tallies();
    const worker = (): string => this.#worker;
    new Counter({
      name: `${BUCKET_METRICS_PREFIX}${name}`,
      help,
      labelNames: ['account', 'bucket', 'worker'],
      registers,
      collect() {
        this.reset();
        for (const tally of tallies()) {
          const { account, bucket } = tally;
          this.inc({ account, bucket, worker: worker() }, read(tally));
        }
      },
    });
  }
}

function newTally(account: string, bucket: string): BucketTally {
  return { account, bucket, requests: 0, errors: 0, bytesIn: 0, bytesOut: 0 };
}
