import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConsoleOptions } from '../../config/load.js';
import { parseUpstream } from '../../swift/address.js';
import type { Labels } from './labels.js';

type AddressOptions = Pick<
  ConsoleOptions,
  'clusterNodes' | 'metricsUrl' | 'logsUrl' | 'adminUrl' | 'storeBase' | 'authUrl'
>;

/** The text in the place of an address. */
export const HIDDEN_ADDRESS = '(address)';

const ADDRESS =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+|\[[0-9a-f:.]+\](?::\d+)?|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gi;
/** A name that an operator gave, and no address: no dots. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** Keeps addresses from the browser (SPEC.md 1.6): nodes are called by their names, the rest not at all. */
export class Addresses {
  readonly #nodes = new Map<string, string>();
  readonly #hosts: readonly string[];
  readonly #backends: readonly string[];

  constructor(options: AddressOptions) {
    for (const node of options.clusterNodes) {
      for (const ip of [node.storage_ip, node.replication_ip, node.public_ip]) {
        if (ip !== undefined) this.#nodes.set(ip, node.name);
      }
      this.#nodes.set(node.name, node.name);
    }
    const { metricsUrl, logsUrl, adminUrl, storeBase, authUrl } = options;
    const upstreams = [metricsUrl, logsUrl, adminUrl, storeBase, authUrl]
      .filter((url) => url !== '')
      .map(parseUpstream);
    const hosts = upstreams.map(({ host }) => host);
    this.#hosts = [...new Set(hosts)].filter((host) => host.length > 3);
    const places = upstreams.map(({ host, port }) =>
      isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`,
    );
    this.#backends = [...new Set(places), ...this.#hosts.filter((host) => isIP(host) === 0)];
  }

  /**
   * The name of a target of a scrape.
   * @param instance as Prometheus has it, with or without a port
   */
  nodeOf(instance: string): string {
    const host = hostOf(instance);
    const known = this.#nodes.get(host);
    if (known !== undefined) return known;
    if (PLAIN_NAME.test(host)) return host;
    return `host-${createHash('sha256').update(host).digest('hex').slice(0, 6)}`;
  }

  /** A text without addresses. */
  mask(text: string): string {
    let masked = text.replace(ADDRESS, (found) => this.#nodes.get(hostOf(found)) ?? HIDDEN_ADDRESS);
    for (const host of this.#hosts) masked = masked.replaceAll(host, HIDDEN_ADDRESS);
    return masked;
  }

  /**
   * A line of a log without what the console itself talks to. The addresses of clients stay:
   * operators search for them in a log.
   */
  maskBackends(line: string): string {
    return this.#backends.reduce((text, place) => text.replaceAll(place, HIDDEN_ADDRESS), line);
  }

  /** Labels of a metrics store's series: its targets become nodes. */
  maskLabels(labels: Labels): Labels {
    const { instance, ...others } = labels;
    const masked = Object.entries(others).flatMap(([name, value]) =>
      name === '__name__' ? [] : [[name, this.mask(value)]],
    );
    const node = instance === undefined ? [] : [['node', this.nodeOf(instance)]];
    return Object.fromEntries([...node, ...masked]) as Labels;
  }
}

function hostOf(address: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}
