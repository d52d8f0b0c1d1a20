import {
  NO_ATTRIBUTES,
  showEntries,
  type EntryVisitor,
  type VisitedObject,
} from '../../backend/unread-page.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { encodeContinuationToken } from '../rules/continuation-token.js';
import type { ListObjectsQuery, ListObjectsV2Query } from '../rules/listing-query.js';
import { DEFAULT_STORAGE_CLASS } from '../rules/storage-class.js';
import type { Document } from '../xml/document-bytes.js';
import { renderListBucketResult } from '../xml/list-bucket-result.js';
import { renderListBucketResultV2 } from '../xml/list-bucket-result-v2.js';
import { ObjectListing, type ListedKey } from '../xml/listing-entries.js';
import { userOwner, type Owner } from '../xml/owner.js';
import type { ListedBucket, PageSource } from './page-source.js';

/** The pages of both versions of ListObjects. */

export interface ObjectsPage extends ListedBucket {
  readonly query: ListObjectsQuery;
  /** The owner of entries without an ACL of their own. */
  readonly owner: Owner;
}

export interface ObjectsPageV2 extends ListedBucket {
  readonly query: ListObjectsV2Query;
  /** The same; undefined: no owner is shown of anything. */
  readonly owner: Owner | undefined;
}

/** Version 1: the next page begins behind a name. @throws BackendError NoSuchContainer */
export async function renderObjects(source: PageSource, page: ObjectsPage): Promise<Document> {
  const { bucket, query } = page;
  const { listing, truncated, last } = await readObjects(source, page);
  return renderListBucketResult({ bucket, query, truncated, nextMarker: last }, listing);
}

/** Version 2: the next page begins behind an opaque token. @throws BackendError NoSuchContainer */
export async function renderObjectsV2(source: PageSource, page: ObjectsPageV2): Promise<Document> {
  const { bucket, query } = page;
  const { listing, truncated, last } = await readObjects(source, page);
  const nextContinuationToken =
    truncated && last !== undefined ? encodeContinuationToken(last) : undefined;
  return renderListBucketResultV2({ bucket, query, truncated, nextContinuationToken }, listing);
}

interface ReadListing {
  readonly listing: ObjectListing;
  readonly truncated: boolean;
  /** The last key or common prefix: the next page begins strictly after it. */
  readonly last: string | undefined;
}

async function readObjects(
  { backend, call }: PageSource,
  { account, bucket, query: asked, owner }: ObjectsPage | ObjectsPageV2,
): Promise<ReadListing> {
  const { prefix, delimiter, marker, maxKeys: limit, urlEncoded } = asked;
  const container = { account, container: bucket };
  if (limit === 0) {
    // Nothing to list, but the bucket has to exist.
    await backend.headContainer(call, container);
    return { listing: new ObjectListing(0, urlEncoded), truncated: false, last: undefined };
  }
  const query = {
    prefix,
    delimiter,
    marker: marker === '' ? undefined : marker,
    limit,
  };
  if (backend.visitObjects !== undefined) {
    const reader = new ListingReader(new ObjectListing(limit, urlEncoded), owner);
    return reader.read(await backend.visitObjects(call, container, query, reader));
  }
  const { entries, truncated } = await backend.listObjects(call, container, query);
  const reader = new ListingReader(new ObjectListing(entries.length, urlEncoded), owner);
  showEntries(entries, reader);
  return reader.read(truncated);
}

/** Puts entries into a listing, one after the other. */
class ListingReader implements EntryVisitor {
  #last: string | undefined;

  constructor(
    private readonly listing: ObjectListing,
    private readonly owner: Owner | undefined,
  ) {}

  object(object: VisitedObject): void {
    this.listing.addKey(listedKey(object, this.owner));
    this.#last = object.name;
  }

  prefix(prefix: string): void {
    this.listing.addPrefix(prefix);
    this.#last = prefix;
  }

  read(truncated: boolean): ReadListing {
    return { listing: this.listing, truncated, last: this.#last };
  }
}

function listedKey(object: VisitedObject, accountOwner: Owner | undefined): ListedKey {
  const { name: key, etag, size, lastModified, attributes } = object;
  // Most objects have none, and share these: the lookups would take as long as the rest.
  if (attributes === NO_ATTRIBUTES) {
    const storageClass = DEFAULT_STORAGE_CLASS;
    return {
      key,
      lastModified,
      etag,
      size,
      storageClass,
      checksumAlgorithm: undefined,
      owner: accountOwner,
    };
  }
  const owner = attributes[SYSTEM_METADATA.owner];
  return {
    key,
    lastModified: Number(attributes[SYSTEM_METADATA.lastModified] ?? lastModified),
    etag,
    size,
    storageClass: attributes[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
    checksumAlgorithm: attributes[SYSTEM_METADATA.checksumAlgorithm],
    owner: accountOwner && (owner === undefined ? accountOwner : userOwner(owner)),
  };
}
