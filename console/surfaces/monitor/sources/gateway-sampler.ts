import type { AdminClient } from '../../../server/admin-client.js';
import type { Addresses } from '../addresses.js';
import { Deriver, type DerivedPanel } from '../gateway/derive.js';
import { MetricTextError, parseMetricText, type Sample } from '../gateway/metric-text.js';
import { keyOfLabels } from '../labels.js';
import type { Measure } from '../measure.js';
import { expectOk, SourceError, sourceError, type Sampled, type Sampler } from './source.js';

const TIMEOUT_MS = 8000;

/** The built-in collector: scrapes the gateway's admin port. */
export class GatewaySampler implements Sampler {
  readonly id = 'gateway';
  readonly title = 'Gateway';
  readonly #deriver: Deriver;

  constructor(
    private readonly admin: Pick<AdminClient, 'get'>,
    panels: readonly DerivedPanel[],
    private readonly addresses: Pick<Addresses, 'nodeOf'>,
  ) {
    this.#deriver = new Deriver(panels);
  }

  async sample(nowMs: number): Promise<Sampled> {
    const samples = await this.#scrape();
    // The metric by which Prometheus reports that a target answers.
    const up: Sample = { name: 'up', labels: {}, value: 1 };
    const measures = this.#deriver.next([...samples, up], nowMs);
    return { measures: this.#named(measures), problems: new Map() };
  }

  /** Nodes by their names: what servers of one node have counted is added up. */
  #named(measures: readonly Measure[]): Measure[] {
    const named = new Map<string, Measure>();
    for (const measure of measures) {
      const { panel, labels, value } = measure;
      if (labels.node === undefined) {
        named.set(`${panel} ${keyOfLabels(labels)}`, measure);
        continue;
      }
      const renamed = { ...labels, node: this.addresses.nodeOf(labels.node) };
      const key = `${panel} ${keyOfLabels(renamed)}`;
      named.set(key, { panel, labels: renamed, value: value + (named.get(key)?.value ?? 0) });
    }
    return [...named.values()];
  }

  async #scrape(): Promise<Sample[]> {
    try {
      const { status, text } = await this.admin.get('/metrics', AbortSignal.timeout(TIMEOUT_MS));
      expectOk(status);
      return parseMetricText(text);
    } catch (error) {
      if (error instanceof MetricTextError) {
        throw new SourceError('its metrics make no sense', { cause: error });
      }
      throw sourceError(error);
    }
  }
}
