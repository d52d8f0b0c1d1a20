import { BackendError } from '../../errors.js';
import type { FilterInfo, SwiftInfo } from '../transport.js';
import type { Answer } from './answer.js';
import type { Endpoint } from './endpoint.js';
import { AttemptError } from './retry-policy.js';

/**
 * The contents of `/info`, in the backend's terms. Middlewares that say nothing have Swift's
 * defaults (swift/common/constraints.py, swift/common/middleware/slo.py).
 */
export function parseInfo(json: string): SwiftInfo {
  const info = record(JSON.parse(json));
  const swift = record(info.swift);
  const slo = record(info.slo);
  return {
    objectNameBytesMax: number(swift.max_object_name_length, 1024),
    containerNameBytesMax: number(swift.max_container_name_length, 256),
    listingLimit: number(swift.container_listing_limit, 10_000),
    metaNameBytesMax: number(swift.max_meta_name_length, 128),
    metaValueBytesMax: number(swift.max_meta_value_length, 256),
    metaCountMax: number(swift.max_meta_count, 90),
    metaBytesMax: number(swift.max_meta_overall_size, 4096),
    headerBytesMax: number(swift.max_header_size, 8192),
    manifestSegmentsMax: number(slo.max_manifest_segments, 1000),
    manifestBytesMax: number(slo.max_manifest_size, 8 * 1024 * 1024),
    hasSymlinks: info.symlink !== undefined,
    policies: policyNames(swift.policies),
    takesWholeHeaders: record(info.ringway_store).whole_headers === true,
    filter: parseFilter(info.ringway),
  };
}

/**
 * The limits and features that hold at every proxy: the narrowest limits, and the filter only where
 * all have it. A write whose system metadata one proxy in three drops would be worse than none.
 */
function commonInfo(infos: readonly [SwiftInfo, ...SwiftInfo[]]): SwiftInfo {
  return infos.reduce((common, info) => {
    return {
      objectNameBytesMax: Math.min(common.objectNameBytesMax, info.objectNameBytesMax),
      containerNameBytesMax: Math.min(common.containerNameBytesMax, info.containerNameBytesMax),
      listingLimit: Math.min(common.listingLimit, info.listingLimit),
      metaNameBytesMax: Math.min(common.metaNameBytesMax, info.metaNameBytesMax),
      metaValueBytesMax: Math.min(common.metaValueBytesMax, info.metaValueBytesMax),
      metaCountMax: Math.min(common.metaCountMax, info.metaCountMax),
      metaBytesMax: Math.min(common.metaBytesMax, info.metaBytesMax),
      headerBytesMax: Math.min(common.headerBytesMax, info.headerBytesMax),
      manifestSegmentsMax: Math.min(common.manifestSegmentsMax, info.manifestSegmentsMax),
      manifestBytesMax: Math.min(common.manifestBytesMax, info.manifestBytesMax),
      hasSymlinks: common.hasSymlinks && info.hasSymlinks,
      policies: common.policies.filter((name) => info.policies.includes(name)),
      takesWholeHeaders: common.takesWholeHeaders && info.takesWholeHeaders,
      filter: commonFilter(common.filter, info.filter),
    };
  });
}

/** Proxies that count on different servers would both let a creator through. */
function commonFilter(
  one: FilterInfo | undefined,
  other: FilterInfo | undefined,
): FilterInfo | undefined {
  if (one === undefined || other === undefined) return undefined;
  if (one.exclusiveCreate !== other.exclusiveCreate) return undefined;
  const { exclusiveDelete, chunkedBodies, orderedPuts, orderedCreations, ...more } = one;
  const { signatureSuffices, hopRights, fixedLinks, linksBehind, ...rest } = more;
  return {
    ...rest,
    version: Math.min(one.version, other.version),
    ...(exclusiveDelete === true && other.exclusiveDelete === true && { exclusiveDelete }),
    ...(chunkedBodies === true && other.chunkedBodies === true && { chunkedBodies }),
    ...(orderedPuts === true && other.orderedPuts === true && { orderedPuts }),
    ...(orderedCreations === true && other.orderedCreations === true && { orderedCreations }),
    ...(signatureSuffices === true && other.signatureSuffices === true && { signatureSuffices }),
    ...(hopRights === true && other.hopRights === true && { hopRights }),
    ...(fixedLinks === true && other.fixedLinks === true && { fixedLinks }),
    ...(linksBehind === true && other.linksBehind === true && { linksBehind }),
  };
}

function parseFilter(said: unknown): FilterInfo | undefined {
  if (said === undefined) return undefined;
  const filter = record(said);
  const { version, exclusive_create: servers, exclusive_delete: deletes } = filter;
  return {
    version: number(version, 1),
    ...(typeof servers === 'string' && { exclusiveCreate: servers }),
    ...(deletes === true && { exclusiveDelete: true }),
    ...(filter.chunked_bodies === true && { chunkedBodies: true }),
    ...(filter.ordered_puts === true && { orderedPuts: true }),
    ...(filter.ordered_creations === true && { orderedCreations: true }),
    ...(filter.signature_suffices === true && { signatureSuffices: true }),
    ...(filter.hop_rights === true && { hopRights: true }),
    ...(filter.fixed_links === true && { fixedLinks: true }),
    ...(filter.links_behind === true && { linksBehind: true }),
  };
}

function policyNames(policies: unknown): readonly string[] {
  if (!Array.isArray(policies)) return [];
  const names = policies.map((policy: unknown) => record(policy).name);
  return names.filter((name) => typeof name === 'string');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** Twenty times that of a Swift with all of its own middlewares. */
const INFO_BYTES_MAX = 256 * 1024;
/** When it could not be had anew: what was known stays, and this long later it is tried again. */
const AGAIN_MS = 5_000;

/** Asks one endpoint for `/info`, signed where there is a secret. */
type AskInfo = (endpoint: Endpoint, signed: boolean) => Promise<Answer | AttemptError>;

/** Limits and features of the cluster, asked of every endpoint, and kept for a while. */
export class InfoSource {
  #known: SwiftInfo | undefined;
  #until = 0;
  #pending: Promise<SwiftInfo> | undefined;

  constructor(
    private readonly endpoints: readonly Endpoint[],
    private readonly ask: AskInfo,
    private readonly infoMs: number,
    /** Whether there is a secret: without one no filter listens. */
    private readonly signs: boolean,
    /** An endpoint said what it has. */
    private readonly heard: (endpoint: Endpoint) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws BackendError Unavailable, when it was never known */
  get(): Promise<SwiftInfo> {
    if (this.#known !== undefined && this.now() < this.#until) return Promise.resolve(this.#known);
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** Whether a proxy takes no request for the gateway's by its signature alone, as far as is known. */
  get needsTokens(): boolean {
    return this.#known?.filter?.signatureSuffices !== true;
  }

  /** True when every proxy is known to take `X-Whole-Headers`. */
  get takesWholeHeaders(): boolean {
    return this.#known?.takesWholeHeaders === true;
  }

  /** A proxy asks for tokens, which the others did not need: until the next look all get them. */
  requireTokens(): void {
    if (this.#known?.filter === undefined) return;
    const filter = { ...this.#known.filter, signatureSuffices: undefined };
    this.#known = { ...this.#known, filter };
  }

  /**
   * Whether this endpoint has the filter that all had.
   * @throws BackendError Unavailable when it has not, or does not say
   */
  async check(endpoint: Endpoint): Promise<void> {
    const expected = this.#known?.filter;
    if (expected === undefined) return;
    const { filter } = await this.#askOne(endpoint);
    const isOlder =
      (expected.orderedPuts === true && filter?.orderedPuts !== true) ||
      (expected.orderedCreations === true && filter?.orderedCreations !== true) ||
      (expected.hopRights === true && filter?.hopRights !== true);
    if (filter?.exclusiveCreate === expected.exclusiveCreate && filter !== undefined && !isOlder) {
      if (filter.signatureSuffices !== true) this.requireTokens();
      return;
    }
    throw new BackendError(
      'Unavailable',
      'this proxy lacks the filter that the others have, or has an older one, another secret or other memcached servers',
    );
  }

  async #renew(): Promise<SwiftInfo> {
    try {
      this.#known = await this.#askAll();
      this.#until = this.now() + this.infoMs;
    } catch (error) {
      if (this.#known === undefined) throw error;
      this.#until = this.now() + Math.min(AGAIN_MS, this.infoMs);
    }
    return this.#known;
  }

  async #askAll(): Promise<SwiftInfo> {
    const well = this.endpoints.filter((endpoint) => endpoint.health.well);
    const asked = well.length === 0 ? this.endpoints : well;
    const results = await Promise.allSettled(asked.map((endpoint) => this.#askOne(endpoint)));
    const [first, ...others] = results.flatMap((result) =>
      result.status === 'fulfilled' ? [result.value] : [],
    );
    if (first !== undefined) return commonInfo([first, ...others]);
    const failure = results.find((result) => result.status === 'rejected');
    throw failure?.reason;
  }

  /** A filter that does not know the secret refuses the signature: it is none of ours. */
  async #askOne(endpoint: Endpoint): Promise<SwiftInfo> {
    const answer = await this.#answer(endpoint, this.signs);
    if (answer.status === 403 && this.signs) {
      answer.cancel();
      const unsigned = await this.#parse(endpoint, await this.#answer(endpoint, false));
      return { ...unsigned, filter: undefined };
    }
    const info = await this.#parse(endpoint, answer);
    if (info.filter !== undefined) this.heard(endpoint);
    return this.signs ? info : { ...info, filter: undefined };
  }

  async #answer(endpoint: Endpoint, signed: boolean): Promise<Answer> {
    const outcome = await this.ask(endpoint, signed);
    if (outcome instanceof AttemptError) throw outcome.toThrow();
    return outcome;
  }

  async #parse(endpoint: Endpoint, answer: Answer): Promise<SwiftInfo> {
    const text = await answer.text(INFO_BYTES_MAX);
    const problem = (what: string): BackendError =>
      new BackendError('Unavailable', `${endpoint.name}/info: ${what}`);
    if (answer.status !== 200) throw problem(`status ${answer.status}`);
    try {
      return parseInfo(text);
    } catch {
      throw problem('not JSON');
    }
  }
}
