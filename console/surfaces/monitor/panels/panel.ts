import type { Labels } from '../labels.js';

export type TabId = 'gateway' | 'nodes' | 'disks' | 'consistency' | 'logs' | 'trace';

export type Unit = 'count' | 'per_s' | 'ratio' | 's' | 'bytes' | 'bytes_per_s' | 's_per_s';

/** The sources of measures; `console` is what it knows by itself. */
export type SourceId = 'gateway' | 'recon' | 'proxies' | 'prometheus' | 'console';

/** Limits samples to some values of a label, for scrapes and for Prometheus. */
export interface Where {
  readonly label: string;
  readonly value: RegExp;
  readonly selector: string;
}

/**
 * @param is - pattern of the whole value, as PromQL reads it
 * @param not - pattern of the values that are left out
 */
export function where(label: string, is: string, not?: string): Where {
  const selector = `${label}=~"${is}"`;
  if (not === undefined) return { label, value: new RegExp(`^(?:${is})$`), selector };
  const value = new RegExp(`^(?!(?:${not})$)(?:${is})$`);
  return { label, value, selector: `${selector}, ${label}!~"${not}"` };
}

/** Some series of a scrape of the gateway. */
export interface Part {
  /** Name of the metric; of a histogram without its suffix. */
  readonly of: string;
  readonly where?: Where;
  /** The labels that the lines of this part have in common. */
  readonly labels?: Labels;
}

/** How a panel is made of the gateway's metrics: of scrapes by the built-in collector, or by PromQL. */
export type Derivation =
  /** Growth of counters by the second. */
  | { readonly kind: 'rate'; readonly parts: readonly Part[]; readonly by: readonly string[] }
  /** The share of a counter's growth that fits `where`. */
  | { readonly kind: 'share'; readonly part: Part }
  | {
      readonly kind: 'quantiles';
      readonly part: Part;
      readonly by: readonly string[];
      readonly quantiles: readonly number[];
    }
  | {
      readonly kind: 'gauge';
      readonly parts: readonly Part[];
      readonly by: readonly string[];
      readonly fold: 'sum' | 'max' | 'min';
      /** Prometheus, which has several hosts, tells them apart. */
      readonly byHost?: true;
    }
  /** How long a moment ago, or ahead, is; nothing for a moment of 0. */
  | { readonly kind: 'age' | 'until'; readonly part: Part; readonly by: readonly string[] };

/** A chart, and what stands in the history under its name. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly tab: TabId;
  /** `state`: 1 is up and 0 is down, drawn as strips with the number that are up. */
  readonly kind: 'line' | 'stacked' | 'bars' | 'state';
  /** Whether it stands on the first screen of its tab; a tab without such shows all at once. */
  readonly isMain?: boolean;
  /** The first that is configured is asked. `recon` measures under the panel's own name. */
  readonly sources: readonly SourceId[];
  readonly derivation?: Derivation;
  /**
   * The query for Prometheus, where the derivation does not say it (promql.ts); `metrics_queries`
   * replaces it.
   */
  readonly promql?: string;
}
