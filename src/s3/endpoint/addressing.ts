import type { RequestHead } from '../../http/exchange.js';
import type { TrustedProxies } from '../../http/trusted-proxies.js';
import type { SignedHosts } from '../auth/authenticate.js';

export interface AddressingOptions {
  /** DNS names in lower case: what stands in front of one in a host name is a bucket. */
  readonly baseDomains: readonly string[];
  /** Hosts, with their ports, that clients sign and a proxy in front replaces. Path style always. */
  readonly externalHosts: readonly string[];
}

/**
 * Reads the host name of a request: the bucket, in virtual-host style, and the hosts that its
 * client may have signed.
 *
 * The two depend on each other. A signature of version 4 covers the host and the path, and the
 * bucket stands in either: a URL that was presigned for `b1.s3.example/b2/key` must not be read as
 * `s3.example/b2/key`. So a host counts as signed only when it gives the bucket that the request
 * was read with.
 */
export class Addressing {
  /** Undefined when nothing is configured, and the request's own host is the only one. */
  readonly signedHosts: SignedHosts | undefined;
  /** Longest first: of `example.com` and `s3.example.com`, the latter takes what it can. */
  readonly #suffixes: readonly string[];
  readonly #pathStyleHosts: ReadonlySet<string>;
  readonly #externalHosts: readonly string[];

  constructor(
    { baseDomains, externalHosts }: AddressingOptions,
    private readonly proxies: TrustedProxies,
  ) {
    const fixed = baseDomains.length + externalHosts.length === 0 && proxies.none;
    this.signedHosts = fixed ? undefined : (request, bucket) => this.#signedHosts(request, bucket);
    this.#suffixes = baseDomains
      .map((domain) => `.${domain}`)
      .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    this.#pathStyleHosts = new Set([...baseDomains, ...externalHosts.map(withoutPort)]);
    this.#externalHosts = externalHosts;
  }

  /** The host that the client addressed, with its port; empty when the request names none. */
  clientHost(request: RequestHead): string {
    return this.proxies.forwardedHost(request) ?? request.headers.get('host') ?? '';
  }

  /** The bucket that the host name has, unchecked; empty for path style. */
  hostBucket(request: RequestHead): string {
    return this.#suffixes.length === 0 ? '' : this.#bucketIn(this.clientHost(request));
  }

  #signedHosts(request: RequestHead, hostBucket: string): readonly string[] {
    const own = request.headers.get('host') ?? '';
    const forwarded = this.proxies.forwardedHost(request);
    // One entry, and no work, for the usual request.
    if (forwarded === undefined && this.#externalHosts.length === 0) return [own];
    const hosts = new Set([own]);
    if (forwarded !== undefined) hosts.add(forwarded);
    for (const external of this.#externalHosts) hosts.add(external);
    return [...hosts].filter((host) => this.#bucketIn(host) === hostBucket);
  }

  #bucketIn(host: string): string {
    if (this.#suffixes.length === 0) return '';
    const name = withoutPort(host.toLowerCase());
    if (this.#pathStyleHosts.has(name)) return '';
    const suffix = this.#suffixes.find((suffix) => name.endsWith(suffix));
    return suffix === undefined ? '' : name.slice(0, -suffix.length);
  }
}

/** The host without the port, and without the dot that ends a fully qualified name. */
function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  const name = colon === -1 || host.endsWith(']') ? host : host.slice(0, colon);
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
