import type { ContainerRef, ListedObject } from '../backend/backend.js';
import { PAGE, type PassContext } from './pass-context.js';

/**
 * Goes through the objects of a container in the order of their names, page by page, one at a time.
 *
 * @param marker - begins behind this name
 * @param reached - told the last name of each page once all of it has been looked at
 */
export async function walkListing(
  { backend, call, looked }: PassContext,
  container: ContainerRef,
  marker: string,
  look: (object: ListedObject) => Promise<void>,
  reached: (name: string) => void,
): Promise<void> {
  let last = marker;
  for (let more = true; more;) {
    const page = await backend.listObjects(call, container, { marker: last, limit: PAGE });
    for (const entry of page.entries) {
      if (entry.kind !== 'object') continue;
      await look(entry.object);
      last = entry.object.name;
    }
    looked(page.entries.length);
    reached(last);
    more = page.truncated;
  }
}
