import type { RequestHeaders, SwiftMethod } from '../transport.js';

/** Why a read goes through a proxy. These are labels of metrics, so the list is fixed. */
export type ProxyReason =
  /** It wants something that middleware of the proxies does. */
  | 'query'
  | 'header'
  /** All replicas are to be asked, handoffs included. */
  | 'newest'
  /** The proxies do not have the gateway's filter, so system metadata is not shown. */
  | 'no_filter'
  /** The container's policy is not known yet, or is none of this swift.conf. */
  | 'policy_unknown'
  | 'erasure_coded'
  /** As many requests to storage servers are under way as there may be. */
  | 'busy'
  /** The object or container that was found can only be read through a proxy. */
  | 'large_object'
  | 'dynamic_large_object'
  | 'encrypted'
  | 'link'
  | 'sharded'
  | 'not_understood'
  /** No storage server had it, which only the proxies may say. */
  | 'missing'
  /** Storage servers that might have it did not answer. */
  | 'nodes_failed';

export type Way = 'direct' | ProxyReason;

/** Facts of a request, and facts known before, that decide its way. */
export interface ReadFacts {
  readonly method: SwiftMethod;
  readonly hasContainer: boolean;
  readonly hasObject: boolean;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly hasFilter: boolean;
  /** The kind of the container's policy. */
  readonly policy: 'replicated' | 'erasure_coded' | undefined;
  /** The reason that was found for this name a moment ago. */
  readonly noted: ProxyReason | undefined;
  readonly hasRoom: boolean;
}

/** Headers of a read that a storage server understands as a proxy does. */
const DIRECT_HEADERS: ReadonlySet<string> = new Set(['range']);
const LISTING_QUERY = /^format=json(?:&(?:prefix|delimiter|marker|end_marker|limit)=[^&]*)*$/;

/**
 * Which way a request takes.
 * @returns undefined for what is no read of an object or a listing: it is the proxies' anyway
 */
export function chooseWay(facts: ReadFacts): Way | undefined {
  const { method, hasContainer, hasObject, query, headers } = facts;
  if (!hasContainer || (method !== 'GET' && !(method === 'HEAD' && hasObject))) return undefined;
  if (headers['x-newest'] !== undefined) return 'newest';
  for (const name in headers) if (!DIRECT_HEADERS.has(name)) return 'header';
  if (hasObject ? query !== '' : !LISTING_QUERY.test(query)) return 'query';
  if (!facts.hasFilter) return 'no_filter';
  if (hasObject && facts.policy === undefined) return 'policy_unknown';
  if (hasObject && facts.policy === 'erasure_coded') return 'erasure_coded';
  if (facts.noted !== undefined) return facts.noted;
  return facts.hasRoom ? 'direct' : 'busy';
}

/** Reasons that lie in the object itself: they hold for a while. */
const NOTED: ReadonlySet<ProxyReason> = new Set([
  'large_object',
  'dynamic_large_object',
  'encrypted',
  'link',
  'sharded',
  'not_understood',
]);

const NOTED_MS = 60_000;
const NOTES_MAX = 10_000;

/** Names that can only be read through a proxy, so that they do not cost two requests each time. */
export class Notes {
  readonly #notes = new Map<string, { readonly reason: ProxyReason; readonly until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  get(name: string): ProxyReason | undefined {
    const note = this.#notes.get(name);
    if (note === undefined) return undefined;
    if (this.now() < note.until) return note.reason;
    this.#notes.delete(name);
    return undefined;
  }

  add(name: string, reason: ProxyReason): void {
    if (!NOTED.has(reason)) return;
    this.#notes.delete(name);
    this.#notes.set(name, { reason, until: this.now() + NOTED_MS });
    if (this.#notes.size <= NOTES_MAX) return;
    // A Map is in the order of its insertions.
    for (const oldest of this.#notes.keys()) {
      this.#notes.delete(oldest);
      return;
    }
  }
}
