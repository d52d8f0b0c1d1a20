import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EventLoopLag } from './event-loop-lag.js';
import type { MetricSnapshot } from './snapshot.js';

/** What is known of a request when its response has left or its client has. */
export interface FinishedRequest {
  /** Name of the S3 operation, from a fixed list: it becomes a label. */
  readonly operation: string;
  /** The response's status, also when its body was cut short. */
  readonly status: number;
  /** The S3 error code, for errors. */
  readonly errorCode?: string | undefined;
  /** Seconds from the complete header block to the last byte. */
  readonly durationS: number;
  /** Seconds to the first byte of the response; undefined when none was sent. */
  readonly ttfbS?: number | undefined;
  /** Body bytes as they arrived, framing included. */
  readonly bytesIn: number;
  /** Body bytes handed to the kernel. */
  readonly bytesOut: number;
  /** The client went away before the end. */
  readonly aborted: boolean;
}

export interface PoolLoad {
  /** Tasks that wait for a thread. */
  readonly queued: number;
  /** Tasks that run. */
  readonly active: number;
}

/** From a request answered out of memory to a large body over a slow line. */
const REQUEST_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];
/** A hop to a thread takes 20 to 45 µs; a lane hashes 8 MiB in some 14 ms. */
const POOL_BUCKETS_S = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.05, 0.25, 1];
/** From a flash drive with a protected cache to a disk under load. */
const SYNC_BUCKETS_S = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** The metrics that carry one operation's label, with the label already bound. */
interface OperationMetrics {
  readonly duration: Histogram.Internal<string>;
  readonly timeToFirstByte: Histogram.Internal<string>;
  readonly byStatus: Map<number, Counter.Internal>;
  readonly byError: Map<string, Counter.Internal>;
}

/**
 * The metrics of one listener process; docs/metrics.md describes each.
 *
 * A finished request costs about a microsecond: children of labelled metrics are kept bound, and
 * what has no label is a plain number until a snapshot is taken.
 */
export class ListenerMetrics {
  readonly registry = new Registry();

  readonly #registers = [this.registry];
  readonly #operations = new Map<string, OperationMetrics>();
  readonly #authFailuresByReason = new Map<string, Counter.Internal>();
  readonly #lag = new EventLoopLag();
  #inProgress = 0;
  #receivedBytes = 0;
  #sentBytes = 0;
  #aborts = 0;
  #laneBytes = 0;
  #readPool: () => PoolLoad = () => ({ queued: 0, active: 0 });
  #readStoreBytes: (() => number) | undefined;

  readonly #requests = new Counter({
    name: 'ringway_requests_total',
    help: 'Requests answered, by operation and status code.',
    labelNames: ['operation', 'code'],
    registers: this.#registers,
  });
  readonly #errors = new Counter({
    name: 'ringway_request_errors_total',
    help: 'Requests answered with an error, by operation and S3 error code.',
    labelNames: ['operation', 'error_code'],
    registers: this.#registers,
  });
  readonly #duration = new Histogram({
    name: 'ringway_request_duration_seconds',
    help: 'Time from the complete header block to the last byte of the response.',
    labelNames: ['operation'],
    buckets: REQUEST_BUCKETS_S,
    registers: this.#registers,
  });
  readonly #timeToFirstByte = new Histogram({
    name: 'ringway_time_to_first_byte_seconds',
    help: 'Time from the complete header block to the first byte of the response.',
    labelNames: ['operation'],
    buckets: REQUEST_BUCKETS_S,
    registers: this.#registers,
  });
  readonly #authFailures = new Counter({
    name: 'ringway_auth_failures_total',
    help: 'Requests whose authentication failed, by S3 error code.',
    labelNames: ['reason'],
    registers: this.#registers,
  });
  readonly #poolWait = new Histogram({
    name: 'ringway_pool_wait_seconds',
    help: 'Time that tasks waited for a thread of the pool.',
    buckets: POOL_BUCKETS_S,
    registers: this.#registers,
  });
  readonly #poolRun = new Histogram({
    name: 'ringway_pool_run_seconds',
    help: 'Time that tasks ran on a thread of the pool.',
    buckets: POOL_BUCKETS_S,
    registers: this.#registers,
  });
  readonly #storeSync = new Histogram({
    name: 'ringway_store_sync_seconds',
    help: 'Time of one sync of the embedded store to its device.',
    buckets: SYNC_BUCKETS_S,
    registers: this.#registers,
  });
  readonly #storeBatch = new Histogram({
    name: 'ringway_store_commit_batch_size',
    help: 'Writes that shared one commit of the embedded store.',
    buckets: BATCH_BUCKETS,
    registers: this.#registers,
  });

  constructor() {
    const total = (name: string, help: string, read: () => number): void => {
      const registers = this.#registers;
      new Counter({
        name,
        help,
        registers,
        collect: function () {
          this.reset();
          this.inc(read());
        },
      });
    };
    total(
      'ringway_received_bytes_total',
      'Bytes of request bodies received.',
      () => this.#receivedBytes,
    );
    total('ringway_sent_bytes_total', 'Bytes of response bodies sent.', () => this.#sentBytes);
    total(
      'ringway_client_aborts_total',
      'Requests whose client went away before the end.',
      () => this.#aborts,
    );
    total(
      'ringway_digest_lane_bytes_total',
      'Bytes hashed on digest lanes.',
      () => this.#laneBytes,
    );
    this.#registerGauges();
  }

  requestStarted(): void {
    this.#inProgress += 1;
  }

  /** To be called once for each `requestStarted`. */
  requestFinished(request: FinishedRequest): void {
    this.#inProgress -= 1;
    this.#receivedBytes += request.bytesIn;
    this.#sentBytes += request.bytesOut;
    if (request.aborted) this.#aborts += 1;
    const operation = this.#operation(request.operation);
    operation.duration.observe(request.durationS);
    if (request.ttfbS !== undefined) operation.timeToFirstByte.observe(request.ttfbS);
    let requests = operation.byStatus.get(request.status);
    if (requests === undefined) {
      requests = this.#requests.labels(request.operation, String(request.status));
      operation.byStatus.set(request.status, requests);
    }
    requests.inc();
    if (request.errorCode !== undefined) {
      this.#countError(operation, request.operation, request.errorCode);
    }
  }

  get requestsInProgress(): number {
    return this.#inProgress;
  }

  /** @param reason - the S3 error code that the client was told, e.g. `SignatureDoesNotMatch` */
  authFailed(reason: string): void {
    let failures = this.#authFailuresByReason.get(reason);
    if (failures === undefined) {
      failures = this.#authFailures.labels(reason);
      this.#authFailuresByReason.set(reason, failures);
    }
    failures.inc();
  }

  /** Where to read the pool's load at a snapshot. */
  watchPool(read: () => PoolLoad): void {
    this.#readPool = read;
  }

  /** A task of the pool is done. */
  poolTaskFinished(waitS: number, runS: number): void {
    this.#poolWait.observe(waitS);
    this.#poolRun.observe(runS);
  }

  digestLaneHashed(bytes: number): void {
    this.#laneBytes += bytes;
  }

  /** Where to read, at a snapshot, how many bytes the store holds on its device. */
  watchStoreBytes(read: () => number): void {
    this.#readStoreBytes = read;
  }

  storeSynced(durationS: number): void {
    this.#storeSync.observe(durationS);
  }

  storeCommitted(batchSize: number): void {
    this.#storeBatch.observe(batchSize);
  }

  /** All values now, to be sent to the supervisor. */
  async snapshot(): Promise<MetricSnapshot> {
    return this.registry.getMetricsAsJSON();
  }

  close(): void {
    this.#lag.close();
  }

  #operation(name: string): OperationMetrics {
    let operation = this.#operations.get(name);
    if (operation === undefined) {
      operation = {
        duration: this.#duration.labels(name),
        timeToFirstByte: this.#timeToFirstByte.labels(name),
        byStatus: new Map(),
        byError: new Map(),
      };
      this.#operations.set(name, operation);
    }
    return operation;
  }

  #countError(operation: OperationMetrics, name: string, code: string): void {
    let errors = operation.byError.get(code);
    if (errors === undefined) {
      errors = this.#errors.labels(name, code);
      operation.byError.set(code, errors);
    }
    errors.inc();
  }

  /** How listeners' gauges become one value: loads add up; of what all share, the largest. */
  #registerGauges(): void {
    const registers = this.#registers;
    const readLag = () => this.#lag.read();
    const sum = (name: string, help: string, read: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        aggregator: 'sum',
        collect: function () {
          this.set(read());
        },
      });
    };
    sum('ringway_requests_in_progress', 'Requests being served.', () => this.#inProgress);
    sum(
      'ringway_pool_tasks_queued',
      'Tasks that wait for a thread of the pool.',
      () => this.#readPool().queued,
    );
    sum(
      'ringway_pool_tasks_active',
      'Tasks that run on a thread of the pool.',
      () => this.#readPool().active,
    );
    const readStoreBytes = () => this.#readStoreBytes?.();
    new Gauge({
      name: 'ringway_store_bytes',
      help: 'Bytes that the embedded store takes on its device.',
      registers,
      aggregator: 'max',
      collect: function () {
        const bytes = readStoreBytes();
        if (bytes !== undefined) this.set(bytes);
      },
    });
    new Gauge({
      name: 'ringway_event_loop_lag_seconds',
      help: 'How late the event loop ran in the last 30 to 60 seconds, of the worst listener.',
      labelNames: ['stat'],
      registers,
      aggregator: 'max',
      collect: function () {
        const lag = readLag();
        this.set({ stat: 'p99' }, lag.p99);
        this.set({ stat: 'max' }, lag.max);
      },
    });
  }
}
