import { parseJson } from '../../../src/lib/parse-json.js';
import { UpstreamError } from '../../swift/errors.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { SwiftQuery } from '../../swift/path.js';

/** Swift lists no more at once. */
export const LISTING_LIMIT = 10_000;

/** Ten thousand rows with names of a kilobyte, escaped. */
const LISTING_BYTES_MAX = 32 * 1024 * 1024;

interface ContainerRow {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
  readonly last_modified?: string;
}

export interface ObjectRow {
  readonly name: string;
  readonly bytes: number;
  readonly hash: string;
  readonly content_type: string;
  readonly last_modified: string;
  readonly slo_etag?: string;
  /** The size in bytes of the object that a static link leads to. */
  readonly symlink_bytes?: number;
  readonly symlink_etag?: string;
}

/** Names that begin alike, up to a delimiter. */
interface SubdirRow {
  readonly subdir: string;
}

export function listContainers(store: SwiftAccount, query: SwiftQuery): Promise<ContainerRow[]> {
  return list(store, undefined, query);
}

/** One page of a container. @throws SwiftStatusError 404 */
export function listObjects(
  store: SwiftAccount,
  container: string,
  query: SwiftQuery,
): Promise<(ObjectRow | SubdirRow)[]> {
  return list(store, container, query);
}

/** All objects below a prefix, page by page. @param reverse - the last name first */
export async function* walkObjects(
  store: SwiftAccount,
  container: string,
  prefix: string,
  reverse = false,
): AsyncGenerator<ObjectRow> {
  const all = {
    prefix: prefix === '' ? undefined : prefix,
    limit: LISTING_LIMIT,
    reverse: reverse ? 'true' : undefined,
  };
  let marker: string | undefined;
  for (;;) {
    const query = { ...all, marker };
    const rows = (await listObjects(store, container, query)) as ObjectRow[];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < LISTING_LIMIT) return;
    marker = last.name;
  }
}

/** One page of a container, or of the containers, as Swift sends it: JSON, or nothing. */
export async function readListing(
  store: SwiftAccount,
  container: string | undefined,
  query: SwiftQuery,
  signal?: AbortSignal,
): Promise<Buffer> {
  const request = { container, query: { format: 'json', ...query }, signal };
  return (await store.read([200, 204], 'GET', request, LISTING_BYTES_MAX)).body;
}

async function list<T>(
  store: SwiftAccount,
  container: string | undefined,
  query: SwiftQuery,
): Promise<T[]> {
  const body = await readListing(store, container, query);
  if (body.length === 0) return [];
  const rows = parseJson(body.toString('utf8'));
  if (!Array.isArray(rows)) throw new UpstreamError('invalid');
  return rows as T[];
}
