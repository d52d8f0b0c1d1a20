import {
  Counter,
  Gauge,
  type Aggregator,
  type CounterConfiguration,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';

/** The result of prom-client's `registry.getMetricsAsJSON()`: plain data that crosses processes. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

export type Registers = NonNullable<CounterConfiguration<string>['registers']>;

interface Collected {
  readonly name: string;
  readonly help: string;
  readonly registers: Registers;
  readonly read: () => number;
}

/** A number that only grows. */
export function collectTotal({ read, ...about }: Collected): void {
  new Counter({
    ...about,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

interface CollectedGauge extends Collected {
  /** How listeners' values become one: loads add up; of what all share, the largest. */
  readonly aggregator: Aggregator;
}

export function collectGauge({ read, ...about }: CollectedGauge): void {
  new Gauge({
    ...about,
    collect() {
      this.set(read());
    },
  });
}
