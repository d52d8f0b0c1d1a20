import type { ListedObject, ObjectPage } from '../../../backend/backend.js';
import { SYSTEM_METADATA } from '../../object-attributes.js';
import type { RequestContext } from '../../operation.js';
import type { ListObjectsQuery } from '../../rules/listing-query.js';
import { effectiveDelimiter } from '../../rules/query-parameters.js';
import { DEFAULT_STORAGE_CLASS } from '../../rules/storage-class.js';
import type { ListedKey } from '../../xml/listing-entries.js';
import { userOwner, type Owner } from '../../xml/owner.js';
import { containerOf } from '../refs.js';

/** What both versions of ListObjects share. */

const NOTHING: ObjectPage = { entries: [], truncated: false };

/** One page from the backend. @throws BackendError NoSuchContainer */
export async function readObjectPage(
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

export interface PageContents {
  readonly contents: readonly ListedKey[];
  readonly commonPrefixes: readonly string[];
  /** The last key or common prefix: the next page begins strictly after it. */
  readonly last: string | undefined;
}

/**
 * The page in the two lists of the document.
 * @param owner - of what has no ACL of its own; undefined: no owner is shown of anything
 */
export function pageContents(page: ObjectPage, owner: Owner | undefined): PageContents {
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
