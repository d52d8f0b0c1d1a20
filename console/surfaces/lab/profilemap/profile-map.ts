import { randomBytes } from 'node:crypto';
import type { ConsoleOptions } from '../../../config/load.js';
import { ApiError } from '../../../server/api-error.js';
import type { AdminClient } from '../../../server/admin-client.js';
import { parseUpstream } from '../../../swift/address.js';
import { Upstream } from '../../../swift/upstream.js';
import { FilterTimers, ofHosts, type FilterLook } from './filter-timers.js';
import { readStageMetrics, readStageReport } from './gateway-timers.js';
import { StatsdListener } from './statsd.js';
import { since, type Timer, type Timers } from './timers.js';
import { profileTree, type PassTime, type ProfileNode, type ProfilePath } from './tree.js';

export interface ProfileSource {
  readonly id: 'recon_stage' | 'metrics' | 'filter' | 'statsd';
  readonly title: string;
  readonly state: 'live' | 'silent' | 'unavailable' | 'off';
  /** The fault, or the key that switches it on; null where it is live and all is there. */
  readonly note: string | null;
}

export interface ProfileSnapshot {
  readonly path: ProfilePath;
  /** The first source that is live. */
  readonly source: ProfileSource['id'] | 'none';
  readonly sources: readonly ProfileSource[];
  readonly at_unix_s: number;
  /** How long was counted; null: since the counters began. */
  readonly window_s: number | null;
  readonly root: ProfileNode;
}

/** The counters of a moment, to which a snapshot can be compared. */
export interface ProfileMark {
  readonly id: string;
  readonly at_unix_s: number;
}

export interface ProfileMapOptions {
  readonly options: Pick<
    ConsoleOptions,
    'metricsUrl' | 'statsdListen' | 'storeBase' | 'proxyBases'
  >;
  readonly admin: Pick<AdminClient, 'get' | 'isConfigured'>;
  readonly now: () => number;
  /** The last passes of replicators, as far as they are known. */
  readonly passes: () => readonly PassTime[];
}

interface Look {
  readonly atS: number;
  readonly timers: Timers;
  /** Timers of the filter in proxies. */
  readonly hosts: FilterLook['hosts'];
  readonly sources: readonly ProfileSource[];
}

const MARKS_MAX = 40;
/** Swift sends what happens; when nothing does, it is silent. */
const STATSD_SILENT_MS = 120_000;

/** The timers of gateway and cluster, and the moments that were marked. */
export class ProfileMap {
  readonly #marks = new Map<string, Look>();
  readonly #prometheus: Upstream | undefined;
  readonly #statsd: StatsdListener | undefined;
  readonly #filter: FilterTimers;

  constructor(private readonly given: ProfileMapOptions) {
    const { metricsUrl, statsdListen, storeBase, proxyBases } = given.options;
    this.#prometheus = metricsUrl === '' ? undefined : new Upstream(parseUpstream(metricsUrl));
    this.#statsd = statsdListen === '' ? undefined : new StatsdListener(statsdListen, given.now);
    this.#filter = new FilterTimers(proxyBases.length === 0 ? [storeBase] : proxyBases);
  }

  /** @returns the port that statsd is taken at; undefined where it is not */
  async start(): Promise<number | undefined> {
    return this.#statsd?.listen();
  }

  close(): void {
    this.#statsd?.close();
    this.#prometheus?.close();
    this.#filter.close();
  }

  /** Keeps the counters of now. @throws ApiError unsupported_here where there is no source */
  async mark(): Promise<ProfileMark> {
    const look = await this.#look();
    const id = randomBytes(6).toString('hex');
    this.#marks.set(id, look);
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > MARKS_MAX && oldest !== undefined) this.#marks.delete(oldest);
    return { id, at_unix_s: look.atS };
  }

  /**
   * The counts from one mark to another, or to now.
   * @param from - a mark; without one: since the counters began
   * @throws ApiError not_found for a mark that is gone; unsupported_here where there is no source
   */
  async snapshot(path: ProfilePath, from?: string, to?: string): Promise<ProfileSnapshot> {
    const [first, last] = [this.#find(from), this.#find(to) ?? (await this.#look())];
    const timers = first === undefined ? last.timers : since(first.timers, last.timers);
    const filter = ofHosts(last.hosts, first?.hosts);
    const live = last.sources.find(({ state }) => state === 'live')?.id;
    return {
      path,
      source: live ?? 'none',
      sources: last.sources,
      at_unix_s: last.atS,
      window_s: first === undefined ? null : last.atS - first.atS,
      root: profileTree(path, new Map([...timers, ...filter]), this.given.passes()),
    };
  }

  #find(id: string | undefined): Look | undefined {
    if (id === undefined) return undefined;
    const look = this.#marks.get(id);
    if (look === undefined)
      throw new ApiError(
        'not_found',
        'The starting point of this measurement no longer exists. Start measuring again.',
      );
    return look;
  }

  async #look(): Promise<Look> {
    const atS = this.given.now() / 1000;
    const timers = new Map<string, Timer>();
    const [gateway, filter] = await Promise.all([this.#gateway(timers), this.#filter.look()]);
    const { hosts, state, note } = filter;
    const proxies = { id: 'filter', title: 'Swift proxy filter', state, note } as const;
    const sources = [...gateway, proxies, this.#swift(timers)];
    if (sources.every((source) => source.state === 'off') && this.given.passes().length === 0) {
      throw new ApiError('unsupported_here', 'No timing source is configured.', {
        needs: 'admin_url, metrics_url, statsd_listen, or stage_file of the filter',
      });
    }
    return { atS, timers, hosts, sources };
  }

  /** The admin port where there is one; else, or when it does not answer, Prometheus. */
  async #gateway(timers: Map<string, Timer>): Promise<ProfileSource[]> {
    const { admin } = this.given;
    const report = await this.#try(
      { id: 'recon_stage', title: 'Gateway admin port', key: 'admin_url' },
      admin.isConfigured ? () => readStageReport(admin) : undefined,
      timers,
    );
    const prometheus = this.#prometheus;
    const isNeeded = prometheus !== undefined && report.state !== 'live';
    const metrics = await this.#try(
      { id: 'metrics', title: 'Prometheus', key: 'metrics_url' },
      isNeeded ? () => readStageMetrics(prometheus) : undefined,
      timers,
    );
    if (prometheus === undefined || isNeeded) return [report, metrics];
    return [report, { ...metrics, note: 'Not queried because the admin port is responding.' }];
  }

  async #try(
    { id, title, key }: Pick<ProfileSource, 'id' | 'title'> & { readonly key: string },
    read: (() => Promise<Timers>) | undefined,
    timers: Map<string, Timer>,
  ): Promise<ProfileSource> {
    if (read === undefined) return { id, title, state: 'off', note: `Set ${key} to enable it.` };
    try {
      const found = await read();
      for (const [name, timer] of found) timers.set(name, timer);
      return { id, title, state: 'live', note: null };
    } catch {
      return { id, title, state: 'unavailable', note: 'It gives no valid answer.' };
    }
  }

  #swift(timers: Map<string, Timer>): ProfileSource {
    const about = { id: 'statsd', title: 'statsd of Swift' } as const;
    const statsd = this.#statsd;
    if (statsd === undefined) {
      const note = 'statsd_listen switches it on, and log_statsd_host of Swift sends it here.';
      return { ...about, state: 'off', note };
    }
    for (const [name, timer] of statsd.timers()) timers.set(name, timer);
    const { lastMs, problem } = statsd.state;
    if (problem !== undefined) {
      return {
        ...about,
        state: 'unavailable',
        note: `Cannot listen on the statsd address: ${problem}.`,
      };
    }
    const isSilent = lastMs === undefined || this.given.now() - lastMs > STATSD_SILENT_MS;
    if (!isSilent) return { ...about, state: 'live', note: null };
    return { ...about, state: 'silent', note: 'No metrics received for two minutes.' };
  }
}
