import { request } from 'undici';
import { signerOf } from '../net/signer.js';
import { collectText } from '../../../lib/collect-text.js';
import { parseJson } from '../../../lib/parse-json.js';

/** Where a proxy is known from. */
export type ProxySource =
  'swift_endpoints' | 'store_base' | 'proxy_nodes' | 'cluster_nodes' | 'rings';

/** A place where a proxy is, or may be. */
export interface ProxyPlace {
  /** Without a path, e.g. `http://10.0.0.1:8080`. */
  readonly url: string;
  readonly source: ProxySource;
}

/** Facts that a proxy tells of itself in `/info`, and its clock. */
export interface ProxyFacts {
  /** Undefined for one that is too old to say. */
  readonly swiftVersion: string | undefined;
  /** The version of the filter `ringway`; undefined where it is not in the pipeline. */
  readonly filterVersion: number | undefined;
  /**
   * Tells apart the memcached servers on which `ringway_guard` counts leases; undefined where that
   * filter is not in the pipeline.
   */
  readonly memcached: string | undefined;
  /** Features of its filters that not every release of them has. */
  readonly features: readonly string[];
  /** Whether it takes the signature; undefined where there is no filter, or no secret to sign with. */
  readonly knowsSecret: boolean | undefined;
  /** Its clock less this machine's, in milliseconds; undefined where it does not say. */
  readonly clockMs: number | undefined;
  /** How far `clockMs` may be off. */
  readonly clockErrorMs: number;
}

/** How a place was found. */
export type ProxyLook = ProxyPlace &
  (
    | { readonly state: 'proxy'; readonly facts: ProxyFacts }
    /** No server listens there. */
    | { readonly state: 'refused'; readonly reason: string }
    | { readonly state: 'silent'; readonly reason: string }
    /** Something answers that is no proxy of Swift. */
    | { readonly state: 'other'; readonly reason: string }
  );

export interface LookOptions {
  /** Shared with the filter; undefined: nothing is signed. */
  readonly secret?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 5_000;
const INFO_BYTES_MAX = 1024 * 1024;
/** A `Date` has whole seconds: on the mean it is half of one behind. */
const DATE_MEAN_MS = 500;

/** The filter asks who may read what a link or a manifest leads to. */
export const HOP_RIGHTS = 'hop_rights';

/** Features that not all filter releases have; see docs/swift.md on what goes over the wire. */
const FEATURES = ['exclusive_delete', 'chunked_bodies', 'signature_suffices', HOP_RIGHTS] as const;

/** The host answers that it has no server at this port. */
const REFUSED: ReadonlySet<unknown> = new Set(['ECONNREFUSED']);

/** Asks a place for `/info`, as a proxy of Swift answers it to everybody. Never throws. */
export async function lookAtProxy(
  place: ProxyPlace,
  options: LookOptions = {},
): Promise<ProxyLook> {
  try {
    const answer = await askInfo(place.url, options, undefined);
    const facts = answer.status === 200 ? factsOf(answer) : undefined;
    if (facts === undefined) {
      return { ...place, state: 'other', reason: `/info answers ${answer.status}` };
    }
    const knowsSecret = await isSecretKnown(place.url, options, facts);
    return { ...place, state: 'proxy', facts: { ...facts, knowsSecret } };
  } catch (error) {
    const state = REFUSED.has(codeOf(error)) ? 'refused' : 'silent';
    return { ...place, state, reason: error instanceof Error ? error.message : String(error) };
  }
}

interface InfoAnswer {
  readonly status: number;
  readonly body: string;
  readonly date: string | undefined;
  readonly sentAt: number;
  readonly receivedAt: number;
}

async function askInfo(
  url: string,
  { timeoutMs = TIMEOUT_MS }: LookOptions,
  secret: string | undefined,
): Promise<InfoAnswer> {
  const headers: string[] = [];
  signerOf(secret)('GET', '/info', headers);
  const sentAt = Date.now();
  const {
    statusCode,
    headers: got,
    body,
  } = await request(new URL('/info', url), {
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    // Looks are far apart: by then the connection may be stale.
    reset: true,
  });
  const receivedAt = Date.now();
  const { date } = got;
  return {
    status: statusCode,
    body: await collectText(body, INFO_BYTES_MAX, '/info is too long'),
    date: typeof date === 'string' ? date : undefined,
    sentAt,
    receivedAt,
  };
}

/** The filter answers a wrong signature with 403. */
async function isSecretKnown(
  url: string,
  options: LookOptions,
  { filterVersion }: ProxyFacts,
): Promise<boolean | undefined> {
  if (options.secret === undefined || filterVersion === undefined) return undefined;
  const { status } = await askInfo(url, options, options.secret);
  return status === 200;
}

/** @returns undefined for what no Swift says */
function factsOf({ body, date, sentAt, receivedAt }: InfoAnswer): ProxyFacts | undefined {
  const info = record(parseJson(body));
  if (info.swift === undefined) return undefined;
  const swift = record(info.swift);
  const filter = record(info.ringway);
  const at = date === undefined ? NaN : Date.parse(date);
  return {
    swiftVersion: typeof swift.version === 'string' ? swift.version : undefined,
    filterVersion: typeof filter.version === 'number' ? filter.version : undefined,
    memcached: typeof filter.exclusive_create === 'string' ? filter.exclusive_create : undefined,
    features: FEATURES.filter((name) => filter[name] === true),
    knowsSecret: undefined,
    clockMs: Number.isNaN(at) ? undefined : at + DATE_MEAN_MS - (sentAt + receivedAt) / 2,
    clockErrorMs: DATE_MEAN_MS + (receivedAt - sentAt) / 2,
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
