import { encodeUriComponentAws } from '../../../lib/uri.js';
import type { CallContext, ObjectRef } from '../../backend.js';
import { isFirstPlace, isOurHop } from '../../own-hops.js';
import type { Policies } from '../../../ring/policy.js';
import type { SwiftInfo, SwiftRequest, SwiftResponse, SwiftTransport } from '../transport.js';
import { ContainerPolicies } from './container-policies.js';
import { describeWhole, MANIFEST_BYTES_MAX, openLarge, readSegments } from './large-object.js';
import {
  addLink,
  isFixedLink,
  isManifest,
  leadsTo,
  linkTarget,
  refusalOf,
  toGateway,
} from './node-headers.js';
import { readListing } from './node-listing.js';
import { NodeWalk } from './node-walk.js';
import { ObjectSource, pathOf, type SourceDeps } from './object-source.js';
import { chooseWay, Notes, type ProxyReason, type Way } from './way.js';

export interface DirectDeps extends SourceDeps {
  readonly proxies: SwiftTransport;
  readonly policies: Policies;
  /** Called for each read, when its way is known. */
  readonly onRead?: ((way: Way) => void) | undefined;
}

/** A HEAD or GET of an object, or a listing. */
interface ObjectRead {
  readonly context: CallContext;
  readonly method: 'GET' | 'HEAD';
  readonly ref: ObjectRef;
  readonly range: string | undefined;
}

/**
 * The proxies' transport, but that reads which need no middleware of Swift's go to the storage
 * servers. Questions that these cannot answer for sure go to a proxy, so that direct reads change
 * how fast an answer comes, and never which one.
 */
export class DirectTransport implements SwiftTransport {
  readonly #policies: ContainerPolicies;
  readonly #notes = new Notes();
  #hasFilter = false;

  constructor(private readonly deps: DirectDeps) {
    this.#policies = new ContainerPolicies(deps.policies, deps.proxies);
  }

  async request(request: SwiftRequest): Promise<SwiftResponse> {
    const way = this.#way(request);
    if (way === undefined) return this.#forward(request);
    if (way !== 'direct') {
      this.deps.onRead?.(way);
      return this.deps.proxies.request(request);
    }
    const answer = await this.#read(request);
    if (typeof answer !== 'string') {
      this.deps.onRead?.('direct');
      return answer;
    }
    this.#notes.add(nameOf(request), answer);
    this.deps.onRead?.(answer);
    return this.deps.proxies.request(request);
  }

  async info(): Promise<SwiftInfo> {
    const info = await this.deps.proxies.info();
    this.#hasFilter = info.filter !== undefined;
    return info;
  }

  ping(context: CallContext): Promise<void> {
    return this.deps.proxies.ping(context);
  }

  async close(): Promise<void> {
    this.deps.nodes.close();
    await this.deps.proxies.close();
  }

  #way(request: SwiftRequest): Way | undefined {
    const { context, method, account, container, object, query = '', headers = {} } = request;
    // Nothing is looked up for a write.
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const isObject = container !== undefined && object !== undefined;
    const policy = isObject ? this.#policies.get(context, account, container) : undefined;
    return chooseWay({
      method,
      hasContainer: container !== undefined,
      hasObject: isObject,
      query,
      headers,
      hasFilter: this.#hasFilter,
      policy: policy && (policy.erasureCoding === undefined ? 'replicated' : 'erasure_coded'),
      noted: this.#notes.get(nameOf(request)),
      hasRoom: this.deps.nodes.hasRoom,
    });
  }

  async #forward(request: SwiftRequest): Promise<SwiftResponse> {
    const response = await this.deps.proxies.request(request);
    const { method, account, container, object } = request;
    if (container !== undefined && object === undefined && method === 'HEAD') {
      this.#policies.learn(account, container, response);
    }
    return response;
  }

  /** @throws the abort reason of the request's context */
  #read(request: SwiftRequest): Promise<SwiftResponse | ProxyReason> {
    const { context, account, container = '', object, headers } = request;
    if (object === undefined) return this.#list(request);
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const ref = { account, container, object };
    return this.#readObject({ context, method, ref, range: headers?.range });
  }

  async #readObject(read: ObjectRead): Promise<SwiftResponse | ProxyReason> {
    const found = await this.#find(read);
    if (typeof found === 'string') return found;
    const target = linkTarget(found.headers);
    if (target === undefined) {
      return this.#answer(read, read.ref, found, toGateway(found.headers));
    }
    found.cancel();
    return this.#follow(read, found, target);
  }

  /**
   * A link to a version of the key, of which both ends are read here. The proxies ask who may follow
   * any other.
   */
  async #follow(
    read: ObjectRead,
    link: ObjectSource,
    target: string,
  ): Promise<SwiftResponse | ProxyReason> {
    const ref = targetRef(read.ref.account, target);
    const isOurs = isFixedLink(link.headers) ? isFirstPlace : isOurHop;
    if (ref === undefined || !isOurs(read.ref, ref)) return 'link';
    // The proxies' symlink filter asks for the whole of a link, too: it has no bytes.
    const found = await this.#find({ ...read, ref });
    if (typeof found === 'string') return found;
    if (linkTarget(found.headers) !== undefined || !leadsTo(link.headers, found.headers)) {
      found.cancel();
      return 'link';
    }
    const headers = toGateway(found.headers);
    const location = `/v1/${encodeUriComponentAws(ref.account)}/${target}`;
    addLink(headers, link.headers, location);
    return this.#answer(read, ref, found, headers);
  }

  /** @param at the place of what was found, for which `ref` of the read is a link or itself */
  async #answer(
    { context, method, ref, range }: ObjectRead,
    at: ObjectRef,
    found: ObjectSource,
    headers: Map<string, string>,
  ): Promise<SwiftResponse | ProxyReason> {
    if (!isManifest(found.headers)) return found.answer(headers);
    // A manifest has its own length, and is answered whole.
    headers.delete('content-range');
    if (!describeWhole(found.headers, headers)) {
      found.cancel();
      return 'large_object';
    }
    if (method === 'HEAD') return found.answer(headers);
    if (!(Number(found.headers.get('content-length')) <= MANIFEST_BYTES_MAX)) {
      found.cancel();
      return 'large_object';
    }
    const text = await readManifest(context, found.answer(headers));
    if (text === undefined) return 'nodes_failed';
    const segments = readSegments(at.account, text, found.headers);
    // The proxies ask who may read what is no part of this key.
    if (segments?.every((segment) => isOurHop(ref, segment.ref)) !== true) return 'large_object';
    const read = (request: SwiftRequest): Promise<SwiftResponse> => this.request(request);
    return (await openLarge({ context, segments, range, read }, headers)) ?? 'large_object';
  }

  async #find({ context, method, ref, range }: ObjectRead): Promise<ObjectSource | ProxyReason> {
    const policy = this.#policies.get(context, ref.account, ref.container);
    if (policy === undefined) return 'policy_unknown';
    if (policy.erasureCoding !== undefined) return 'erasure_coded';
    const found = await ObjectSource.find(this.deps, { context, method, ref, policy, range });
    if (typeof found === 'string') return found;
    const refusal = refusalOf(found.headers);
    if (refusal === undefined || refusal === 'large_object') return found;
    found.cancel();
    return refusal;
  }

  async #list(request: SwiftRequest): Promise<SwiftResponse | ProxyReason> {
    const { context, account, container = '', query = '' } = request;
    const { nodes, rings, hash } = this.deps;
    const ring = rings.ring('container');
    if (ring === undefined) return 'policy_unknown';
    const partition = ring.partition(hash.hex(account, container));
    const walk = new NodeWalk(nodes, ring, partition, this.deps);
    const path = `${pathOf({ account, container })}?${query}`;
    const source = await walk.find({ context, method: 'GET', path, headers: [] });
    return typeof source === 'string' ? source : readListing(context, source.answer);
  }
}

/** @returns undefined when it breaks off */
async function readManifest(
  { cancellation }: CallContext,
  answer: SwiftResponse,
): Promise<string | undefined> {
  try {
    return await answer.text(MANIFEST_BYTES_MAX);
  } catch (error) {
    if (cancellation?.aborted === true) throw error;
    return undefined;
  }
}

function targetRef(account: string, target: string): ObjectRef | undefined {
  const slash = target.indexOf('/');
  if (slash <= 0) return undefined;
  try {
    const container = decodeURIComponent(target.slice(0, slash));
    const object = decodeURIComponent(target.slice(slash + 1));
    return object === '' ? undefined : { account, container, object };
  } catch {
    return undefined;
  }
}

/** No account and no container has a slash in its name. */
function nameOf({ account, container = '', object }: SwiftRequest): string {
  return object === undefined ? `${account}/${container}` : `${account}/${container}/${object}`;
}
