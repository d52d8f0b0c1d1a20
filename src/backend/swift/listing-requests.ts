import { scratch } from '../../lib/buffers/scratch-memory.js';
import { encodeUriComponentAws, percentDecoded } from '../../lib/uri.js';

import type { Metadata, CallContext } from '../backend.js';
import { BackendError } from '../errors.js';
import { answerError, type PathRef } from './status-errors.js';
import type { SwiftTransport, WholeBody } from './transport.js';

/**
 * Fields that a listing shows of an object beyond those that Swift knows: parameters behind the MD5
 * in its `hash`, the way of Swift's own middlewares.
 *
 *     9b2c…; s3_etag=9b2c…-3; rw_s3-storage-class=STANDARD_IA
 *
 * `s3_etag` is s3api's, `rw_` are ours. Middlewares take the parameters apart and put them together
 * again: with Python's cgi.parse_header, which needs values without `;`, `"` and blanks, and makes
 * names lower case; newer ones, such as those of Swift 2.38, with a parser of Swift's own, which
 * leaves out what follows the first character of a value that is none of a token (RFC 2616 section
 * 2.2), such as `:` and `@`.
 */

const MD5 = /^[0-9a-f]{32}$/;
const OVERRIDE = 'x-gateway-sysmeta-object-container-update-override-';
const ATTRIBUTE = 'rw_';

interface ShownEntry {
  /** The MD5 of the body, where it is known; Swift replaces it by a large object's manifest. */
  readonly md5?: string | undefined;
  /** S3's, unquoted. */
  readonly etag?: string | undefined;
  readonly attributes?: Metadata | undefined;
  /** The size of a link's target; undefined for other objects. */
  readonly size?: number | undefined;
}

/** The headers that make a listing show it; none where it shows it anyway. */
export function listingHeaders({
  md5,
  etag,
  attributes,
  size,
}: ShownEntry): Record<string, string> {
  const listed = etag !== undefined && MD5.test(etag) && size !== undefined ? etag : (md5 ?? '');
  const parameters: string[] = [];
  if (etag !== undefined && etag !== listed) parameters.push(`s3_etag=${parameterValue(etag)}`);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    parameters.push(`${ATTRIBUTE}${parameterValue(name)}=${parameterValue(value)}`);
  }
  if (parameters.length === 0 && size === undefined) return {};
  const headers = { [`${OVERRIDE}etag`]: [listed, ...parameters].join('; ') };
  return size === undefined ? headers : { ...headers, [`${OVERRIDE}size`]: String(size) };
}

/** Nothing that a parser of Swift's, or ours, takes for the end of a value. */
function parameterValue(text: string): string {
  return PLAIN_PARAMETER.test(text) ? text : encodeUriComponentAws(text);
}

const PLAIN_PARAMETER = /^[a-zA-Z0-9._~+-]*$/;

/** The contents of a `hash`. */
export interface ListedHash {
  readonly md5: string;
  /** S3's, where it is another one. */
  readonly etag: string | undefined;
  readonly attributes: Metadata;
  /**
   * Fields of large objects and of links that hold to an ETag: Swift's proxies add them, container
   * servers do not.
   */
  readonly sloEtag?: string | undefined;
  readonly targetEtag?: string | undefined;
  readonly targetBytes?: number | undefined;
}

const NO_ATTRIBUTES: Metadata = Object.freeze({});

export function readListedHash(hash: string): ListedHash {
  const end = hash.indexOf(';');
  if (end === -1) return { md5: hash, etag: undefined, attributes: NO_ATTRIBUTES };
  const attributes: Record<string, string> = {};
  const listed: { -readonly [Name in keyof ListedHash]: ListedHash[Name] } = {
    md5: hash.slice(0, end),
    etag: undefined,
    attributes,
  };
  for (let at = end + 1; at < hash.length;) {
    const semicolon = hash.indexOf(';', at);
    const next = semicolon === -1 ? hash.length : semicolon;
    const equals = hash.indexOf('=', at);
    const name = hash.slice(at, equals).trim();
    const value = (): string => parameterText(hash.slice(equals + 1, next).trim());
    if (name === 's3_etag') listed.etag = value();
    else if (name === 'slo_etag') listed.sloEtag = value();
    else if (name === 'symlink_target_etag') listed.targetEtag = value();
    else if (name === 'symlink_target_bytes') listed.targetBytes = Number(value());
    else if (name.startsWith(ATTRIBUTE)) {
      attributes[parameterText(name.slice(ATTRIBUTE.length))] = value();
    }
    at = next + 1;
  }
  return listed;
}

function parameterText(value: string): string {
  return value.includes('%') ? (percentDecoded(value) ?? value) : value;
}

/**
 * The parameters of a listing of a container or of an account's containers; empty ones are not
 * sent.
 */
export interface ListingParameters {
  readonly prefix?: string;
  readonly delimiter?: string;
  /** Names behind this one. */
  readonly marker?: string;
  /** Names before this one. */
  readonly end_marker?: string;
  readonly limit: number;
}

/** An entry with the longest names, all of it escaped in JSON; the usual one has 200 bytes. */
const ENTRY_BYTES_MAX = 16_384;

/**
 * One request for a listing, parsed.
 * @returns undefined when there is no such container, or no such account
 */
export async function requestListing(
  transport: SwiftTransport,
  context: CallContext,
  ref: PathRef,
  parameters: ListingParameters,
): Promise<readonly unknown[] | undefined> {
  const listed = await requestListingBytes(transport, context, ref, parameters);
  if (listed === undefined) return undefined;
  const { memory, length } = listed;
  const text = memory.toString('utf8', 0, length);
  scratch.give(memory);
  return parseListing(text);
}

/**
 * The same as the JSON that arrived.
 * @returns in scratch memory, the caller's from now on
 */
export async function requestListingBytes(
  transport: SwiftTransport,
  context: CallContext,
  ref: PathRef,
  parameters: ListingParameters,
): Promise<WholeBody | undefined> {
  const response = await transport.request({
    context,
    method: 'GET',
    account: ref.account,
    container: ref.container,
    query: queryOf(parameters),
  });
  const { status } = response;
  if (status === 200) return response.whole((parameters.limit + 1) * ENTRY_BYTES_MAX);
  if (status !== 204 && status !== 404 && status !== 410) {
    throw await answerError(
      ref.container === undefined ? 'account' : 'container',
      'GET',
      ref,
      response,
    );
  }
  response.cancel();
  return status === 204 ? NOTHING : undefined;
}

const NOTHING: WholeBody = { memory: Buffer.from('[]'), length: 2 };

function queryOf(parameters: ListingParameters): string {
  let query = 'format=json';
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '' && value !== undefined)
      query += `&${name}=${encodeUriComponentAws(String(value))}`;
  }
  return query;
}

/** @throws BackendError Corrupt for what is no JSON list */
export function parseListing(text: string): readonly unknown[] {
  try {
    const listing: unknown = JSON.parse(text);
    if (Array.isArray(listing)) return listing;
  } catch {
    // The error below covers a document that is no JSON as well.
  }
  throw new BackendError('Corrupt', 'a listing that is no JSON list');
}
