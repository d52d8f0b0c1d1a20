import type { CallContext, ContainerInfo, ContainerPage, ContainerQuery } from '../backend.js';
import { requestListing } from './listing-requests.js';
import { fillPage } from './paging.js';
import type { ReadParts } from './read-parts.js';
import { readListingTime } from './timestamps.js';

/** An entry of Swift's listing. */
interface ListedContainer {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
  readonly last_modified: string;
}

/** The containers of an account. An account that is not there yet has none. */
export async function listContainers(
  { transport, limits }: ReadParts,
  context: CallContext,
  account: string,
  { prefix = '', marker = '', limit }: ContainerQuery,
): Promise<ContainerPage> {
  const { items, truncated } = await fillPage(
    limit,
    limits.listingLimit,
    marker,
    async (from, wanted) => {
      const parameters = { prefix, marker: from, limit: wanted };
      const listed = await requestListing(transport, context, { account }, parameters);
      return (listed ?? []) as readonly ListedContainer[];
    },
    ({ name }) => name,
  );
  return { containers: items.map(readContainer), truncated };
}

function readContainer({ name, count, bytes, last_modified }: ListedContainer): ContainerInfo {
  const createdAt = readListingTime(last_modified);
  return { name, createdAt, objectCount: count, bytesUsed: bytes };
}
