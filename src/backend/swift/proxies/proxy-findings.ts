import { HOP_RIGHTS, type ProxyFacts, type ProxyLook } from './proxy-look.js';

/** A fault of a proxy; a label of metrics and charts. */
export type ProxyProblem =
  | 'no_answer'
  | 'no_proxy'
  | 'no_filter'
  | 'no_front'
  | 'no_guard'
  | 'other_secret'
  | 'other_memcached'
  | 'older_filter'
  | 'other_swift'
  | 'clock';

export interface ProxyFinding {
  readonly look: ProxyLook;
  readonly problem: ProxyProblem;
  /** The fault and its remedy, for the operator; the proxy is not named in it. */
  readonly text: string;
}

export interface Expected {
  /** Whether the gateway counts on the filters; otherwise they are expected where any proxy has one. */
  readonly filter: boolean;
}

/** Two clocks that are kept by NTP are a few milliseconds apart. */
const CLOCK_MS_MAX = 2_000;

const INSTALL = 'docs/swift.md, "Installing it", says how';
const FORGOTTEN =
  'clients that use it are not held off what versions and locks protect, and its own creations void every lease. ' +
  `Add both to its pipeline (${INSTALL}), or stop it`;

const NO_HOP_RIGHTS =
  'its filter does not ask who may read what a link or a manifest of a Swift client leads to: a gateway before this release reads it for everybody, and this one for nobody. ' +
  'Replace it with that of this release, in all proxies';

type Proxy = ProxyLook & { readonly state: 'proxy' };

/**
 * The faults of a cluster's proxies, compared with each other. A place that was only guessed counts
 * when a proxy answers there.
 */
export function judgeProxies(
  looks: readonly ProxyLook[],
  expected: Expected,
): readonly ProxyFinding[] {
  const proxies = looks.filter((look) => look.state === 'proxy');
  const hasFilter = expected.filter || proxies.some(({ facts }) => isFiltered(facts));
  const usual = usualOf(proxies);
  return looks.flatMap((look) => {
    if (look.state !== 'proxy') return absence(look);
    const filter = hasFilter ? filterFindings(look, usual) : [];
    return [...filter, ...commonFindings(look, usual)].map((found) => ({ look, ...found }));
  });
}

type Found = Omit<ProxyFinding, 'look'>;

/** Facts that most of the proxies share. */
interface Usual {
  readonly memcached: string | undefined;
  readonly swiftVersion: string | undefined;
  readonly features: readonly string[];
  readonly clockMs: number;
}

function usualOf(proxies: readonly Proxy[]): Usual {
  const facts = proxies.map((proxy) => proxy.facts);
  return {
    memcached: mostFrequent(facts.map(({ memcached }) => memcached)),
    swiftVersion: mostFrequent(facts.map(({ swiftVersion }) => swiftVersion)),
    features: [...new Set(facts.flatMap(({ features }) => features))],
    clockMs: median(facts.flatMap(({ clockMs }) => clockMs ?? [])),
  };
}

function absence(look: Exclude<ProxyLook, Proxy>): ProxyFinding[] {
  // A host that has storage need not have a proxy.
  if (look.source === 'cluster_nodes' || look.source === 'rings') return [];
  if (look.state === 'other') {
    const text = `${look.reason}, so it is no proxy of Swift. Correct ${look.source}`;
    return [{ look, problem: 'no_proxy', text }];
  }
  const text = `it does not answer (${look.reason}). Start it, or take it out of ${look.source}`;
  return [{ look, problem: 'no_answer', text }];
}

function filterFindings({ facts }: Proxy, usual: Usual): Found[] {
  const { filterVersion, memcached, features, knowsSecret } = facts;
  if (!isFiltered(facts)) {
    const text = `it has neither of the filters ringway and ringway_guard: ${FORGOTTEN}`;
    return [{ problem: 'no_filter', text }];
  }
  const found: Found[] = [];
  if (filterVersion === undefined) {
    const text = `it lacks the filter ringway, so it takes the gateway for an ordinary client. Add it to its pipeline (${INSTALL})`;
    found.push({ problem: 'no_front', text });
  }
  if (memcached === undefined) {
    const text = `it lacks the filter ringway_guard: ${FORGOTTEN}`;
    found.push({ problem: 'no_guard', text });
  } else if (memcached !== usual.memcached) {
    const text = `it counts leases on other memcached servers (${memcached}) than most proxies (${usual.memcached ?? ''}), so that it does not exclude them. Give memcache_servers the same value in all proxies`;
    found.push({ problem: 'other_memcached', text });
  }
  if (knowsSecret === false) {
    const text =
      'it does not know the secret of swift_filter_secret_file, and refuses the gateway. Put the secret into its secret_file';
    found.push({ problem: 'other_secret', text });
  }
  if (filterVersion !== undefined && !features.includes(HOP_RIGHTS)) {
    found.push({ problem: 'older_filter', text: NO_HOP_RIGHTS });
  }
  const missing = usual.features.filter((feature) => !features.includes(feature));
  if (missing.length > 0 && found.length === 0) {
    const text = `its filter lacks ${missing.join(', ')}, which others have: replace it with that of this release, or set its options as theirs are`;
    found.push({ problem: 'older_filter', text });
  }
  return found;
}

function commonFindings({ facts }: Proxy, usual: Usual): Found[] {
  const { swiftVersion, clockMs, clockErrorMs } = facts;
  const found: Found[] = [];
  if (swiftVersion !== usual.swiftVersion) {
    const text = `it runs Swift ${swiftVersion ?? 'of an unknown version'}, most proxies ${usual.swiftVersion ?? 'an unknown one'}. Bring all to one version`;
    found.push({ problem: 'other_swift', text });
  }
  const offMs = clockMs === undefined ? 0 : clockMs - usual.clockMs;
  if (Math.abs(offMs) > CLOCK_MS_MAX + clockErrorMs) {
    const text = `its clock is ${(Math.abs(offMs) / 1000).toFixed(1)} s ${offMs > 0 ? 'ahead of' : 'behind'} the others: which write is the latest is told by these clocks. Have NTP set it`;
    found.push({ problem: 'clock', text });
  }
  return found;
}

function isFiltered({ filterVersion, memcached }: ProxyFacts): boolean {
  return filterVersion !== undefined || memcached !== undefined;
}

/** The first of those that are there most often; undefined counts only where there is nothing else. */
function mostFrequent(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) {
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  let most: string | undefined;
  for (const [value, count] of counts) {
    if (most === undefined || count > (counts.get(most) ?? 0)) most = value;
  }
  return most;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
