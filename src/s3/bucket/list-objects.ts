import type { ListedObject, ObjectPage } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import {
  type RequestContext,
  containerOf,
  type S3Response,
  ownerOf,
  xmlResponse,
} from '../operation.js';
import { encodeContinuationToken } from '../rules/continuation-token.js';
import {
  type ListObjectsQuery,
  parseListObjectsQuery,
  parseListObjectsV2Query,
} from '../rules/listing-query.js';
import { effectiveDelimiter } from '../rules/query-parameters.js';
import { DEFAULT_STORAGE_CLASS } from '../rules/storage-class.js';
import { renderListBucketResultV2 } from '../xml/list-bucket-result-v2.js';
import { renderListBucketResult } from '../xml/list-bucket-result.js';
import type { ListedKey } from '../xml/listing-entries.js';
import { userOwner, type Owner } from '../xml/owner.js';

/** What both versions of ListObjects share. */

const NOTHING: ObjectPage = { entries: [], truncated: false };

/** One page from the backend. @throws BackendError NoSuchContainer */
async function readObjectPage(
  context: RequestContext,
  query: ListObjectsQuery,
): Promise<ObjectPage> {
  const { backend } = context.services;
  const container = containerOf(context);
  if (query.maxKeys === 0) {
    // Nothing to list, but the bucket has to exist.
    await backend.headContainer(context.call, container);
    return NOTHING;
  }
  return backend.listObjects(context.call, container, {
    prefix: query.prefix,
    delimiter: effectiveDelimiter(query.delimiter),
    marker: query.marker === '' ? undefined : query.marker,
    limit: query.maxKeys,
  });
}

interface PageContents {
  readonly contents: readonly ListedKey[];
  readonly commonPrefixes: readonly string[];
  /** The last key or common prefix: the next page begins strictly after it. */
  readonly last: string | undefined;
}

/**
 * The page in the two lists of the document.
 * @param owner - of what has no ACL of its own; undefined: no owner is shown of anything
 */
function pageContents(page: ObjectPage, owner: Owner | undefined): PageContents {
  const contents: ListedKey[] = [];
  const commonPrefixes: string[] = [];
  let last: string | undefined;
  for (const entry of page.entries) {
    if (entry.kind === 'object') {
      contents.push(listedKey(entry.object, owner));
      last = entry.object.name;
    } else {
      commonPrefixes.push(entry.prefix);
      last = entry.prefix;
    }
  }
  return { contents, commonPrefixes, last };
}

function listedKey(object: ListedObject, accountOwner: Owner | undefined): ListedKey {
  const owner = object.attributes[SYSTEM_METADATA.owner];
  return {
    key: object.name,
    lastModified: Number(object.attributes[SYSTEM_METADATA.lastModified] ?? object.lastModified),
    etag: object.etag,
    size: object.size,
    storageClass: object.attributes[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
    checksumAlgorithm: object.attributes[SYSTEM_METADATA.checksumAlgorithm],
    owner: accountOwner && (owner === undefined ? accountOwner : userOwner(owner)),
  };
}

/** ListObjects, version 1: the next page begins behind a name. Every entry shows its owner. */
export async function listObjects(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsQuery(context.endpoint.query);
  const page = await readObjectPage(context, query);
  const { contents, commonPrefixes, last } = pageContents(page, ownerOf(context));
  return xmlResponse(
    renderListBucketResult({
      bucket: context.endpoint.bucket,
      query,
      contents,
      commonPrefixes,
      truncated: page.truncated,
      nextMarker: last,
    }),
  );
}

/** ListObjectsV2: the next page begins behind an opaque token. */
export async function listObjectsV2(context: RequestContext): Promise<S3Response> {
  const query = parseListObjectsV2Query(context.endpoint.query);
  const page = await readObjectPage(context, query);
  const owner = query.fetchOwner ? ownerOf(context) : undefined;
  const { contents, commonPrefixes, last } = pageContents(page, owner);
  return xmlResponse(
    renderListBucketResultV2({
      bucket: context.endpoint.bucket,
      query,
      contents,
      commonPrefixes,
      truncated: page.truncated,
      nextContinuationToken:
        page.truncated && last !== undefined ? encodeContinuationToken(last) : undefined,
    }),
  );
}
