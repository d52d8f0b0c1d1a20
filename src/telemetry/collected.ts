import {
  type MetricObjectWithValues,
  type MetricValue,
  Counter,
  Gauge,
  type Aggregator,
  type CounterConfiguration,
} from 'prom-client';

/** The result of prom-client's `registry.getMetricsAsJSON()`: plain data that crosses processes. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

type Registers = NonNullable<CounterConfiguration<string>['registers']>;

interface CollectedTotal {
  readonly name: string;
  readonly help: string;
  /** A number that only grows. */
  readonly read: () => number;
}

export function collectTotal({ name, help, read }: CollectedTotal, registers: Registers): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

interface CollectedGauge {
  readonly name: string;
  readonly help: string;
  /** How listeners' values become one: loads add up; of what all share, the largest. */
  readonly aggregator: Aggregator;
  readonly read: () => number;
}

export function collectGauge(
  { name, help, aggregator, read }: CollectedGauge,
  registers: Registers,
): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers,
    collect() {
      this.set(read());
    },
  });
}
