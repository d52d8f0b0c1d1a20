import type { Addresses } from '../addresses.js';
import type { Measure } from '../measure.js';
import type { Panel } from '../panels/panel.js';
import { QueryRefusedError, type PrometheusApi } from './prometheus-api.js';
import { type Sampled, type Sampler } from './source.js';

type QueriedPanel = Required<Pick<Panel, 'id' | 'promql'>>;

/** The limit of series of one panel; more cannot be read on a page. */
const SERIES_MAX = 100;

/** Asks a Prometheus for what tiles and alerts need. */
export class PrometheusSampler implements Sampler {
  readonly id = 'prometheus';
  readonly title = 'Metrics store';

  constructor(
    private readonly api: PrometheusApi,
    private readonly panels: readonly QueriedPanel[],
    private readonly addresses: Addresses,
  ) {}

  async sample(): Promise<Sampled> {
    const measures: Measure[] = [];
    const problems = new Map<string, string>();
    // One after the other: no user waits for it, and a store in trouble is not loaded.
    for (const { id, promql } of this.panels) {
      try {
        const found = await this.api.query(promql);
        for (const { labels, value } of found.slice(0, SERIES_MAX)) {
          if (!Number.isFinite(value)) continue;
          measures.push({ panel: id, labels: this.addresses.maskLabels(labels), value });
        }
      } catch (error) {
        if (!(error instanceof QueryRefusedError)) throw error;
        problems.set(id, 'the metrics store refuses the query of this panel');
      }
    }
    return { measures, problems };
  }
}
