import type { ContainerRef, ListedObject, ObjectHead, ObjectRef } from '../../backend/backend.js';
import type { ColdCopy } from '../../cold/cold-backend.js';
import { SYSTEM_METADATA } from '../object-attributes.js';
import { archiveContainer, bucketOfArchive, hexKey } from '../versions/names.js';
import { coldObjectOf } from './cold-object.js';
import { headIfThere, isMissing, type ColdTools } from './cold-tools.js';

const PAGE = 1000;

type Tools = Pick<ColdTools, 'backend' | 'call' | 'classes'>;

/**
 * Whether any object still has its bytes in this copy: the one that it was made of, or a version that
 * this one has become since. What cannot be read keeps its copy.
 *
 * @throws BackendError
 */
export async function isReferenced(tools: Tools, copy: ColdCopy): Promise<boolean> {
  const { account, container, object } = copy;
  const { listingUpdates } = tools.backend.capabilities;
  if (await refersTo(tools, { account, container, object }, copy)) return true;
  if (bucketOfArchive(container) !== undefined) return false;
  // Adoption writes the version before it takes the object away: whoever missed one finds the other.
  const archive = archiveContainer(account, container);
  for await (const { name, attributes } of objectsBelow(tools, archive, `${hexKey(object)}/`)) {
    // Else listings do not tell which are cold.
    if (listingUpdates && attributes[SYSTEM_METADATA.cold] === undefined) continue;
    if (await refersTo(tools, { ...archive, object: name }, copy)) return true;
  }
  return false;
}

async function refersTo(tools: Tools, ref: ObjectRef, copy: ColdCopy): Promise<boolean> {
  const head = await headIfThere(tools, ref);
  if (head === undefined) return false;
  try {
    const object = coldObjectOf(head, tools.classes);
    if (object === undefined) return false;
    return object.state.copy === undefined
      ? isMadeOf(copy, head)
      : object.state.copy.id === copy.id;
  } catch {
    // A stamp that nobody can read may name it.
    return true;
  }
}

/** The copy is durable, and the object not stamped yet. */
function isMadeOf(copy: ColdCopy, { size, etag, lastModified }: ObjectHead): boolean {
  return copy.size === size && copy.etag === etag && copy.lastModified === lastModified;
}

async function* objectsBelow(
  { backend, call }: Tools,
  container: ContainerRef,
  prefix: string,
): AsyncGenerator<ListedObject> {
  let marker: string | undefined;
  for (let more = true; more;) {
    const query = { prefix, marker, limit: PAGE };
    const page = await backend.listObjects(call, container, query).catch((error: unknown) => {
      if (isMissing(error)) return { entries: [], truncated: false };
      throw error;
    });
    for (const entry of page.entries) {
      if (entry.kind !== 'object') continue;
      marker = entry.object.name;
      yield entry.object;
    }
    more = page.truncated;
  }
}
