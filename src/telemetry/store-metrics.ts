import { Histogram } from 'prom-client';
import type { Registers } from './collected.js';

/** From a flash drive with a protected cache to a disk under load. */
const SYNC_BUCKETS_S = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** A listener's measurements of the embedded store. */
export class StoreMetrics {
  readonly #sync: Histogram;
  readonly #batch: Histogram;
  readonly #gate: Histogram<'waiter'>;

  constructor(registers: Registers) {
    this.#sync = new Histogram({
      name: 'ringway_store_sync_seconds',
      help: 'Time of one sync of the embedded store to its device.',
      buckets: SYNC_BUCKETS_S,
      registers,
    });
    this.#batch = new Histogram({
      name: 'ringway_store_commit_batch_size',
      help: 'Writes that shared one commit of the embedded store.',
      buckets: BATCH_BUCKETS,
      registers,
    });
    this.#gate = new Histogram({
      name: 'ringway_store_gate_wait_seconds',
      help: 'Waits at the gate of the embedded store that keeps opens and commits apart, by who waited: open or commit.',
      labelNames: ['waiter'],
      buckets: SYNC_BUCKETS_S,
      registers,
    });
  }

  committed(durationS: number, batchSize: number): void {
    this.#sync.observe(durationS);
    this.#batch.observe(batchSize);
  }

  gateWaited(waiter: 'open' | 'commit', durationS: number): void {
    this.#gate.observe({ waiter }, durationS);
  }
}
