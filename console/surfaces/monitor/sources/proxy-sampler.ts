import { knownProxies } from '../../../../src/backend/swift/proxies/known-proxies.js';
import {
  judgeProxies,
  type ProxyProblem,
} from '../../../../src/backend/swift/proxies/proxy-findings.js';
import {
  lookAtProxy,
  type ProxyLook,
  type ProxyPlace,
} from '../../../../src/backend/swift/proxies/proxy-look.js';
import { mapLimited } from '../../../../src/lib/promises.js';
import type { ConsoleOptions } from '../../../config/load.js';
import type { Addresses } from '../addresses.js';
import type { Measure } from '../measure.js';
import { SourceError, type Sampled, type Sampler } from './source.js';

const TIMEOUT_MS = 3000;
const AT_ONCE = 32;
/**
 * A storage node that says nothing, as behind a firewall, is left alone for so long: time-outs of
 * many would hold up every tick of the Monitor.
 */
const SILENT_MS = 5 * 60_000;

/** The name of a problem in charts and alerts. */
const PROBLEM_TITLES: Readonly<Record<ProxyProblem, string>> = {
  no_answer: 'not responding',
  no_proxy: 'is no proxy of Swift',
  no_filter: 'has neither ringway nor ringway_guard in its pipeline',
  no_front: 'lacks the filter ringway',
  no_guard: 'lacks the filter ringway_guard',
  other_secret: 'has another secret',
  other_memcached: 'counts leases on other memcached servers',
  older_filter: 'has an older filter',
  other_swift: 'runs another version of Swift',
  clock: 'has another time',
};

type ProxyOptions = Pick<
  ConsoleOptions,
  'storeBase' | 'proxyBases' | 'clusterNodes' | 'proxyNodes' | 'proxyPort'
>;

/** Looks at all proxies that the configuration tells of, and compares them with each other. */
export class ProxySampler implements Sampler {
  readonly id = 'proxies';
  readonly title = 'Proxies';
  readonly #places: readonly ProxyPlace[];
  /** Until when places are left alone. */
  readonly #silentUntilMs = new Map<ProxyPlace, number>();

  /** @param timeoutMs - how long a proxy may take to answer */
  constructor(
    options: ProxyOptions,
    private readonly addresses: Pick<Addresses, 'nodeOf'>,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.#places = placesOf(options);
  }

  async sample(nowMs: number): Promise<Sampled> {
    const asked = this.#places.filter((place) => nowMs >= (this.#silentUntilMs.get(place) ?? 0));
    const looks = await mapLimited(asked, AT_ONCE, (place) => this.#look(place, nowMs));
    const proxies = looks.filter(({ state }) => state === 'proxy');
    if (proxies.length === 0) throw new SourceError('no proxy answers');
    const measures: Measure[] = proxies.map(({ url }) => ({
      panel: 'proxies_seen',
      labels: { node: this.#nodeOf(url) },
      value: 1,
    }));
    // Without the gateway's secret it is not known whether filters are expected: one tells.
    for (const { look, problem } of judgeProxies(looks, { filter: false })) {
      const labels = { node: this.#nodeOf(look.url), problem: PROBLEM_TITLES[problem] };
      measures.push({ panel: 'proxy_problems', labels, value: 1 });
    }
    return { measures, problems: new Map() };
  }

  async #look(place: ProxyPlace, nowMs: number): Promise<ProxyLook> {
    const look = await lookAtProxy(place, { timeoutMs: this.timeoutMs });
    // The others are known to be proxies: that one does not answer is a problem each time.
    const isLeftAlone = look.state === 'silent' && place.source === 'cluster_nodes';
    if (isLeftAlone) this.#silentUntilMs.set(place, nowMs + SILENT_MS);
    return look;
  }

  /** The browser sees no address. */
  #nodeOf(url: string): string {
    return this.addresses.nodeOf(new URL(url).host);
  }
}

function placesOf({
  storeBase,
  proxyBases,
  clusterNodes,
  proxyNodes,
  proxyPort,
}: ProxyOptions): readonly ProxyPlace[] {
  const base = [storeBase, ...proxyBases].flatMap((url) =>
    url === '' ? [] : [{ url, source: 'store_base' } as const],
  );
  const nodes = clusterNodes.flatMap(({ storage_ip: storage, public_ip: open }) =>
    open === undefined ? [storage] : [storage, open],
  );
  return knownProxies({
    addresses: base,
    hosts: [
      ...proxyNodes.map((host) => ({ host, source: 'proxy_nodes' }) as const),
      ...nodes.map((host) => ({ host, source: 'cluster_nodes' }) as const),
    ],
    port: proxyPort,
  });
}
