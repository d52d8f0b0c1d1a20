import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Registry } from 'prom-client';
import { ConsoleMetrics } from '../../src/telemetry/console-metrics.js';
import { SwiftApiMetrics } from '../../src/telemetry/swift-api-metrics.js';
import { JanitorMetrics } from '../../src/telemetry/janitor-metrics.js';
import { ListenerMetrics } from '../../src/telemetry/metrics.js';
import { ServiceMetrics } from '../../supervisor/metrics.js';

const DOCUMENT = readFileSync('docs/metrics.md', 'utf8');

/** The rows of the table under a heading. */
function documented(heading: string): string[] {
  const section = DOCUMENT.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| `'));
}

/** The rows that a registry's metrics should have, by name. */
function expected(registry: Registry): string[] {
  return registry
    .getMetricsAsArray()
    .map((metric) => {
      // prom-client's types leave the label names out.
      const { labelNames } = metric as unknown as { readonly labelNames: readonly string[] };
      const labels = labelNames.map((label) => `\`${label}\``).join(', ');
      return `| \`${metric.name}\` | ${String(metric.type)} | ${labels} | ${metric.help} |`;
    })
    .sort();
}

describe('telemetry: documentation', () => {
  it('has every metric of a listener, with type, labels and meaning, and no other', () => {
    const metrics = new ListenerMetrics();
    metrics.watchStoreBytes(() => 0);
    expect(documented('Listeners')).to.deep.equal(expected(metrics.registry));
    metrics.close();
  });

  it('has every metric of the janitor, and no other', () => {
    expect(documented('Janitor')).to.deep.equal(expected(new JanitorMetrics().registry));
  });

  it('has every metric of the Swift API', () => {
    const metrics = new SwiftApiMetrics(() => 0);
    expect(documented('Swift API')).to.deep.equal(expected(metrics.registry));
  });

  it('has every metric of the console', () => {
    const metrics = new ConsoleMetrics({
      requestsInProgress: () => 0,
      sessions: () => 0,
      repairDebt: () => undefined,
    });
    expect(documented('Console')).to.deep.equal(expected(metrics.registry));
  });

  it('has every metric of the supervisor, and no other', () => {
    const metrics = new ServiceMetrics({ version: '1', revision: 'r', node: '20' });
    expect(documented('Supervisor')).to.deep.equal(expected(metrics.registry));
  });
});
