import { Counter, Gauge } from 'prom-client';
import type { Registers } from './collected.js';

/** A listener's reads past Swift's proxies; there are no series where nothing reads so. */
export class DirectReadMetrics {
  readonly #reads: Counter;
  readonly #errors: Counter;
  readonly #hedges: Counter;
  readonly #versions: Gauge;
  readonly #problems: Gauge;

  constructor(registers: Registers) {
    this.#reads = new Counter({
      name: 'ringway_swift_reads_total',
      help: 'Reads of objects and listings by way, direct or proxy, and why a proxy was asked.',
      labelNames: ['way', 'reason'],
      registers,
    });
    this.#errors = new Counter({
      name: 'ringway_swift_node_errors_total',
      help: 'Failed requests of direct reads to storage servers, by server and kind.',
      labelNames: ['node', 'error'],
      registers,
    });
    this.#hedges = new Counter({
      name: 'ringway_swift_hedges_won_total',
      help: 'Direct reads that a server answered which was asked because another one took long.',
      registers,
    });
    this.#versions = new Gauge({
      name: 'ringway_swift_ring_version',
      help: 'Version of each ring in use; the least of all listeners.',
      labelNames: ['ring'],
      aggregator: 'min',
      registers,
    });
    this.#problems = new Gauge({
      name: 'ringway_swift_ring_stale',
      help: 'Whether the file of a ring cannot be used and a former one is, in any listener.',
      labelNames: ['ring'],
      aggregator: 'max',
      registers,
    });
  }

  /** @param way `direct`, or why a proxy was asked */
  read(way: string): void {
    if (way === 'direct') this.#reads.inc({ way, reason: 'none' });
    else this.#reads.inc({ way: 'proxy', reason: way });
  }

  nodeFailed(node: string, error: string): void {
    this.#errors.inc({ node, error });
  }

  hedgeWon(): void {
    this.#hedges.inc();
  }

  ring(name: string, version: number | undefined, isStale: boolean): void {
    this.#versions.set({ ring: name }, version ?? 0);
    this.#problems.set({ ring: name }, isStale ? 1 : 0);
  }
}
