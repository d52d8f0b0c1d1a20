import { judgeProxies } from '../src/backend/swift/proxies/proxy-findings.js';
import { knownProxies, type ProxySources } from '../src/backend/swift/proxies/known-proxies.js';
import {
  lookAtProxy,
  type ProxyLook,
  type ProxyPlace,
} from '../src/backend/swift/proxies/proxy-look.js';
import type { FilledOptions } from '../src/config/options.js';
import { readStoreSecret } from '../src/config/secret-file.js';
import { mapLimited } from '../src/lib/promises.js';
import { openClusterRings } from '../src/ring/cluster.js';
import { presentDevices } from '../src/ring/device.js';
import { Failure, type ExitReason } from './exit-codes.js';
import type { Settings } from './settings.js';

const AT_ONCE = 16;

/**
 * `ringway check --cluster`: looks at all proxies that the configuration, the console's file and the
 * rings tell of, and says what is wrong with each.
 *
 * @param tell - writes lines of the result
 * @returns `cluster` when something is wrong
 * @throws Failure `config` without a Swift cluster; `unready` when no proxy answers
 */
export async function checkCluster(
  settings: Settings,
  tell: (line: string) => void,
): Promise<ExitReason> {
  const { options } = settings;
  if (options.backend !== 'swift') {
    const reason = '--cluster looks at the proxies of a Swift cluster, and backend is not swift';
    throw new Failure('config', reason);
  }
  const secret = readStoreSecret('swift_filter_secret_file', options.swiftFilterSecretFile);
  const places = knownProxies(await sourcesOf(settings));
  const looks = await mapLimited([...places], AT_ONCE, (place) => lookAtProxy(place, { secret }));
  const proxies = looks.filter(({ state }) => state === 'proxy');
  const findings = judgeProxies(looks, { filter: secret !== undefined });
  for (const look of looks) {
    const texts = findings.filter((found) => found.look === look).map(({ text }) => text);
    if (texts.length === 0 && look.state === 'silent') {
      tell(
        `${look.url} (${look.source}): no answer; if there is a proxy, look again when it is up`,
      );
    }
    if (texts.length === 0 && look.state !== 'proxy') continue;
    for (const text of texts.length === 0 ? ['ok'] : texts) {
      tell(`${look.url} (${look.source}): ${text}${described(look)}`);
    }
  }
  if (secret === undefined) tell('swift_filter_secret_file is not set: no filter was asked for');
  tell(
    `${count(proxies.length, 'proxy', 'proxies')}, ${count(findings.length, 'problem', 'problems')}`,
  );
  if (proxies.length === 0) throw new Failure('unready', 'no proxy of Swift answers');
  return findings.length === 0 ? 'ok' : 'cluster';
}

function described(look: ProxyLook): string {
  if (look.state !== 'proxy') return '';
  const { swiftVersion, filterVersion, memcached } = look.facts;
  const filter = filterVersion === undefined ? '' : `, filter ${filterVersion}`;
  const servers = memcached === undefined ? '' : `, memcached servers ${memcached}`;
  return ` [Swift ${swiftVersion ?? 'unknown'}${filter}${servers}]`;
}

function count(number: number, one: string, more: string): string {
  return `${number} ${number === 1 ? one : more}`;
}

async function sourcesOf({ options, consoleConfig = {} }: Settings): Promise<ProxySources> {
  const { cluster_nodes: nodes, proxy_nodes: names, proxy_port: port } = consoleConfig;
  const proxyNodes = Array.isArray(names) ? names.map(String) : [];
  return {
    addresses: options.swiftEndpoints.map((url): ProxyPlace => ({
      url,
      source: 'swift_endpoints',
    })),
    hosts: [
      ...proxyNodes.map((host) => ({ host, source: 'proxy_nodes' }) as const),
      ...addressesOf(nodes).map((host) => ({ host, source: 'cluster_nodes' }) as const),
      ...(await ringHosts(options)).map((host) => ({ host, source: 'rings' }) as const),
    ],
    port: typeof port === 'number' ? port : undefined,
  };
}

/** The file was checked: its entries have these keys, or lack them. */
function addressesOf(nodes: unknown): string[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown) => {
    const { storage_ip: storage, public_ip: open } = node as Readonly<Record<string, unknown>>;
    return [storage, open].filter((ip) => typeof ip === 'string');
  });
}

/** Hosts of storage servers, many of which have a proxy as well. */
async function ringHosts({ swiftRingsDir: ringsDir, swiftConf }: FilledOptions): Promise<string[]> {
  if (ringsDir === '') return [];
  const { rings } = await openClusterRings({ ringsDir, swiftConf });
  const hosts = rings
    .states()
    .flatMap(({ name }) => presentDevices(rings.ring(name)?.data.devices ?? []))
    .map(({ ip }) => ip);
  return [...new Set(hosts)];
}
