import type {
  Backend,
  CallContext,
  Metadata,
  MetadataPatch,
  ContainerInfo,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { requireOwner } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { systemMetadataHeaders, systemMetadataPatch } from '../gateway/system-metadata.js';
import { readListingQuery, type ListingQuery } from '../listing/listing-query.js';
import { listingHeaders, renderListing } from '../listing/render.js';
import { listPage, type Page } from '../listing/walk.js';
import { metadataHeaders, metadataPatch } from '../metadata.js';
import { HTML, type Reply } from '../reply.js';
import type { AccountTarget } from '../target.js';
import { listingTime, swiftTimestamp } from '../timestamps.js';

/**
 * An account's own metadata. The store has no accounts but in the names of containers, so it is
 * kept as the metadata of a container that no client gets to see.
 */
const CONTAINER = '.ringway-account';

/** Whether a container is ours: for clients it is not there. */
export function isHidden(container: string): boolean {
  return container === CONTAINER;
}

interface AccountRecord {
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
}

const EMPTY: AccountRecord = { metadata: {}, systemMetadata: {} };

export class AccountRecords {
  constructor(private readonly backend: Backend) {}

  async read(context: CallContext, account: string): Promise<AccountRecord> {
    try {
      return await this.backend.headContainer(context, { account, container: CONTAINER });
    } catch (error) {
      if (isCode(error, 'NoSuchContainer')) return EMPTY;
      throw error;
    }
  }

  async update(
    context: CallContext,
    account: string,
    metadata: MetadataPatch,
    systemMetadata: MetadataPatch,
  ): Promise<void> {
    const ref = { account, container: CONTAINER };
    if (Object.keys(metadata).length + Object.keys(systemMetadata).length === 0) return;
    await this.backend.createContainer(context, ref, {});
    await this.backend.updateContainer(context, ref, { metadata, systemMetadata });
  }
}

const PAGE = 1000;

/** `HEAD` of an account. @throws SwiftError */
export async function headAccount(call: Call<AccountTarget>): Promise<Reply> {
  requireOwner(call, call.target.account);
  const query = readListingQuery(call);
  return { status: 204, headers: listingHeaders(query, await accountHeaders(call)) };
}

/** `GET` of an account: its containers. @throws SwiftError */
export async function getAccount(call: Call<AccountTarget>): Promise<Reply> {
  requireOwner(call, call.target.account);
  const query = readListingQuery(call);
  const entries = await listPage((marker, limit) => readPage(call, query, marker, limit), query);
  const items = entries.map(({ name, item }) =>
    item === undefined
      ? { subdir: name }
      : {
          name,
          count: item.objectCount,
          bytes: item.bytesUsed,
          last_modified: listingTime(item.createdAt),
        },
  );
  const { format, varies } = query;
  const listing = { items, format, varies, name: call.target.account, kind: 'account' } as const;
  return renderListing(listing, await accountHeaders(call));
}

/** `POST` to an account: changes its metadata. @throws SwiftError */
export async function postAccount(call: Call<AccountTarget>): Promise<Reply> {
  const { api, context, target, headers, gateway } = call;
  requireOwner(call, target.account);
  const metadata = metadataPatch(headers, 'account', api.limits);
  const systemMetadata = gateway ? systemMetadataPatch(headers, 'account') : {};
  await api.accounts.update(context, target.account, metadata, systemMetadata);
  return { status: 204, headers: [['Content-Type', HTML]] };
}

/** Counted by going through all containers: each knows what is in it. */
async function accountHeaders(call: Call<AccountTarget>): Promise<Reply['headers']> {
  const { api, context, target } = call;
  let containers = 0;
  let objects = 0;
  let bytes = 0;
  let since = api.now();
  for (let marker = '', more = true; more;) {
    const page = await api.backend.listContainers(context, target.account, { marker, limit: PAGE });
    for (const { name, objectCount, bytesUsed, createdAt } of page.containers) {
      marker = name;
      since = Math.min(since, createdAt);
      if (isHidden(name)) continue;
      containers += 1;
      objects += objectCount;
      bytes += bytesUsed;
    }
    more = page.truncated;
  }
  const { metadata, systemMetadata } = await api.accounts.read(context, target.account);
  return [
    ['X-Account-Container-Count', String(containers)],
    ['X-Account-Object-Count', String(objects)],
    ['X-Account-Bytes-Used', String(bytes)],
    ['X-Timestamp', swiftTimestamp(since)],
    ...metadataHeaders(metadata, 'account', true),
    ...(call.gateway ? systemMetadataHeaders(systemMetadata, 'account') : []),
    ['Accept-Ranges', 'bytes'],
  ];
}

/** The most names that the store gives at once. */
const LIMIT_MAX = 10_000;
/** A marker behind all names that go on behind a roll-up. */
const LAST = '\u{10ffff}';

async function readPage(
  { api, context, target }: Call<AccountTarget>,
  { prefix, delimiter }: ListingQuery,
  marker: string,
  limit: number,
): Promise<Page<ContainerInfo>> {
  const rolledUp = rollUpOf(marker, prefix, delimiter);
  const from = rolledUp === undefined ? marker : rolledUp + LAST;
  const page = await api.backend.listContainers(context, target.account, {
    prefix,
    marker: from,
    // One more, since the one that is left out must not be all there is of a page.
    limit: Math.min(limit + 1, LIMIT_MAX),
  });
  const entries: { name: string; item: ContainerInfo | undefined }[] = [];
  for (const item of page.containers) {
    if (isHidden(item.name)) continue;
    const subdir = rollUpOf(item.name, prefix, delimiter);
    if (subdir === undefined) entries.push({ name: item.name, item });
    else if (entries.at(-1)?.name !== subdir) entries.push({ name: subdir, item: undefined });
  }
  return { entries, last: entries.at(-1)?.name, truncated: page.truncated };
}

function rollUpOf(name: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !name.startsWith(prefix)) return undefined;
  const at = name.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : name.slice(0, at + delimiter.length);
}
