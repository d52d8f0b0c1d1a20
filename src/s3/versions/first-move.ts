import type { Backend, CallContext } from '../../backend/backend.js';
import { describedAs, firstVersionOf } from './first-index.js';
import { indexRef, versionRef, type VersionedKey } from './names.js';
import { placeOfMove } from './order.js';
import { headNewest, readDocument } from './read-document.js';
import type { VersionIndex } from './version-entry.js';

/** The index that is to be replaced, as far as a move needs it. */
interface Former {
  readonly lastModified: number | undefined;
  /** The name of the first version that is in its place. */
  readonly body?: string | undefined;
}

/**
 * Makes room for an index: a first version in its place is written to its own name. Every writer of the
 * move writes the same bytes with the same time, however late; and none where another index is in the
 * place by now.
 *
 * @param index - the one that is to be written
 * @returns whether it may be
 * @throws BackendError
 */
export async function makesRoom(
  backend: Backend,
  call: CallContext,
  key: VersionedKey,
  { entries }: VersionIndex,
  { body: name, lastModified }: Former,
): Promise<boolean> {
  if (name === undefined || !entries.some((entry) => entry.name === name)) return true;
  const found = await readDocument(backend, call, indexRef(key));
  if (found === undefined) return false;
  const { head, bytes } = found;
  if (firstVersionOf(head)?.name !== name) return true;
  const order = placeOfMove(lastModified);
  const described = { ...describedAs(head), order, writeClass: 'deletion' } as const;
  const ref = versionRef(key, name);
  const input = { ...described, size: bytes.length, body: bytes };
  const { outcome } = await backend.putObject(call, ref, input);
  // Otherwise another has moved it already; or deleted it, and the index is another one, too.
  return outcome === 'created' || (await headNewest(backend, call, ref)) !== undefined;
}
