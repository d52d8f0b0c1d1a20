import type { ContainerHead, ListedObject } from '../../backend/backend.js';
import { mapLimited } from '../../lib/promises.js';
import { authorise, ownsAccount } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { systemMetadataHeaders } from '../gateway/system-metadata.js';
import { POLICY } from '../limits.js';
import { readListingQuery, type ListingQuery } from '../listing/listing-query.js';
import { objectItem } from '../listing/object-entry.js';
import { listingHeaders, renderListing } from '../listing/render.js';
import { listPage, type Entry, type Page, type ReadPage } from '../listing/walk.js';
import { metadataHeaders } from '../metadata.js';
import type { Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { ContainerTarget } from '../target.js';
import { lastModified, swiftTimestamp } from '../timestamps.js';
import { findContainer } from './containers.js';

/** @param isOwner - ACLs and the keys of TempURLs are for owners alone */
function containerHeaders(call: Call, head: ContainerHead, isOwner: boolean): Reply['headers'] {
  const { objectCount, bytesUsed, createdAt, acl, metadata, systemMetadata } = head;
  return [
    ['X-Container-Object-Count', String(objectCount)],
    ['X-Container-Bytes-Used', String(bytesUsed)],
    ['X-Timestamp', swiftTimestamp(createdAt)],
    ...(isOwner && acl.read !== '' ? [['X-Container-Read', acl.read] as const] : []),
    ...(isOwner && acl.write !== '' ? [['X-Container-Write', acl.write] as const] : []),
    ...metadataHeaders(metadata, 'container', isOwner),
    ...(call.gateway ? systemMetadataHeaders(systemMetadata, 'container') : []),
    ['Last-Modified', lastModified(createdAt)],
    ['Accept-Ranges', 'bytes'],
    ['X-Storage-Policy', POLICY],
  ];
}

/** `HEAD` of a container. @throws SwiftError */
export async function headContainer(call: Call<ContainerTarget>): Promise<Reply> {
  const query = readListingQuery(call);
  return { status: 204, headers: listingHeaders(query, await describe(call)) };
}

/** `GET` of a container: its objects. @throws SwiftError */
export async function getContainer(call: Call<ContainerTarget>): Promise<Reply> {
  const { target, gateway } = call;
  const query = readListingQuery(call);
  const headers = await describe(call);
  const read = query.isFolder ? folderPages(call, query) : pages(call, query);
  const { account, container: name } = target;
  const items = (await listPage(read, query)).map((entry) =>
    entry.item === undefined ? { subdir: entry.name } : objectItem(entry.item, account, gateway),
  );
  const { format, varies } = query;
  return renderListing({ items, format, varies, name, kind: 'container' }, headers);
}

/** The entries of a listing: objects, and roll-ups of others. */
function pages(
  { api, context, target }: Call<ContainerTarget>,
  { prefix, delimiter }: ListingQuery,
) {
  return async (marker: string, limit: number): Promise<Page<ListedObject>> => {
    const query = { prefix, delimiter, marker, limit };
    const page = await api.backend.listObjects(context, target, query);
    const entries = page.entries.map((entry) =>
      entry.kind === 'object'
        ? { name: entry.object.name, item: entry.object }
        : { name: entry.prefix, item: undefined },
    );
    return { entries, last: entries.at(-1)?.name, truncated: page.truncated };
  };
}

/**
 * The pages of a listing with `path`: it leaves out deeper names, except for an object that is
 * named like such a folder. The folder's own such object is left out (get_objects in
 * swift/container/backend.py).
 */
function folderPages(call: Call<ContainerTarget>, query: ListingQuery): ReadPage<ListedObject> {
  const read = pages(call, query);
  const marking = async (prefix: string): Promise<readonly Entry<ListedObject>[]> => {
    const [first] = (await pages(call, { ...query, prefix, delimiter: '' })('', 1)).entries;
    return first?.name === prefix ? [first] : [];
  };
  return async (marker, limit) => {
    const { entries, ...page } = await read(marker, limit);
    const kept = await mapLimited(entries, MARKING_AT_ONCE, async (entry) => {
      if (entry.item === undefined) return marking(entry.name);
      return entry.name === query.prefix ? [] : [entry];
    });
    return { ...page, entries: kept.flat() };
  };
}

/** Looks for the objects that mark folders. */
const MARKING_AT_ONCE = 8;

async function describe(call: Call<ContainerTarget>): Promise<Reply['headers']> {
  const { target } = call;
  const head = await findContainer(call, target);
  authorise(call, head, { ref: target, kind: 'read', isObject: false });
  if (head === undefined) throw new SwiftError(404);
  return containerHeaders(call, head, ownsAccount(call, target.account));
}
