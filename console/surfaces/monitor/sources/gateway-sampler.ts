import type { AdminClient } from '../../../server/admin-client.js';
import { Deriver, type DerivedPanel } from '../gateway/derive.js';
import { MetricTextError, parseMetricText, type Sample } from '../gateway/metric-text.js';
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
  ) {
    this.#deriver = new Deriver(panels);
  }

  async sample(nowMs: number): Promise<Sampled> {
    const samples = await this.#scrape();
    // The metric by which Prometheus reports that a target answers.
    const up: Sample = { name: 'up', labels: {}, value: 1 };
    return { measures: this.#deriver.next([...samples, up], nowMs), problems: new Map() };
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
