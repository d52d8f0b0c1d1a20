import { readBody, type Upstream } from './upstream.js';

/** The abilities of a store, as it tells them (`GET /info`, Swift's discoverability). */
export interface StoreInfo {
  /** Names of storage policies, the default first. */
  readonly policies: readonly string[];
  readonly tempurlDigests: readonly string[];
  readonly hasTempurl: boolean;
  /** How many names a bulk deletion takes; zero where there is none. */
  readonly bulkDeletesMax: number;
  readonly hasObjectVersioning: boolean;
  /** The oldest kind of versions, in another container. */
  readonly hasArchiveVersioning: boolean;
  /** Whether it is the gateway's own store, and no cluster. */
  readonly isEmbedded: boolean;
  readonly hasContainerQuotas: boolean;
}

const INFO_BYTES_MAX = 1024 * 1024;

/** A store that says nothing of itself can do the least. @throws UpstreamError */
export async function readStoreInfo(store: Upstream): Promise<StoreInfo> {
  const { status, body } = await store.send({ method: 'GET', rawPath: '/info' });
  const text = (await readBody(body, INFO_BYTES_MAX)).toString('utf8');
  return parseStoreInfo(status === 200 ? text : '');
}

export function parseStoreInfo(text: string): StoreInfo {
  const info = section(safeJson(text));
  const bulk = section(info.bulk_delete);
  return {
    policies: policiesOf(section(info.swift).policies),
    tempurlDigests: strings(section(info.tempurl).allowed_digests),
    hasTempurl: info.tempurl !== undefined,
    bulkDeletesMax: Number(bulk.max_deletes_per_request ?? 0) || 0,
    hasObjectVersioning: info.object_versioning !== undefined,
    hasArchiveVersioning: info.versioned_writes !== undefined,
    isEmbedded: info.ringway_store !== undefined,
    hasContainerQuotas: info.container_quotas !== undefined,
  };
}

function policiesOf(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  const named = given.map(section).filter(({ name }) => typeof name === 'string');
  const byDefault = [...named].sort((a, b) => Number(b.default ?? 0) - Number(a.default ?? 0));
  return byDefault.map(({ name }) => String(name));
}

function strings(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((one) => typeof one === 'string') : [];
}

function section(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FRESH_MS = 60_000;

/** Like {@link readStoreInfo}, asked at most once a minute. */
export class StoreInfoCache {
  #read: Promise<StoreInfo> | undefined;
  #readAtMs = -Infinity;

  constructor(
    private readonly store: Upstream,
    private readonly now: () => number,
  ) {}

  get(): Promise<StoreInfo> {
    if (this.#read !== undefined && this.now() - this.#readAtMs < FRESH_MS) return this.#read;
    const read = readStoreInfo(this.store);
    this.#read = read;
    this.#readAtMs = this.now();
    // A failed request is repeated at once.
    read.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return read;
  }
}
