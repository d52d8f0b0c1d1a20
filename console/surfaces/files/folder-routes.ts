import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { sessionOf } from '../../server/context.js';
import { parse } from '../../server/parse.js';
import { containerName, objectName, prefixText } from './names.js';
import { listObjects, LISTING_LIMIT, type ObjectRow } from './swift-listing.js';
import { noSuchContainer } from './translate.js';

const FOLDER = z.object({
  container: containerName,
  prefix: prefixText.default(''),
  /** The `next_marker` of a former answer: counts behind that name. */
  marker: objectName.optional(),
});

/** Listings that one answer adds up. */
const PAGES_MAX = 10;

/** The size of a folder, as the store lists its objects. */
export interface FolderSize {
  readonly objects: number;
  readonly bytes: number;
  /** The name behind which there is more to count; null where this is all. */
  readonly next_marker: string | null;
}

/** The size of folders, which no store knows: their listings are added up. */
export function folderRoutes(app: FastifyInstance): void {
  const reads = { config: { access: 'read' } } as const;
  app.get('/api/files/folder', reads, async (request): Promise<FolderSize> => {
    const { container, prefix, marker } = parse(FOLDER, request.query);
    const { store } = sessionOf(request);
    let [objects, bytes] = [0, 0];
    let after = marker;
    for (let page = 0; page < PAGES_MAX; page++) {
      const query = { prefix: prefix || undefined, limit: LISTING_LIMIT, marker: after };
      const rows = (await listObjects(store, container, query).catch(
        noSuchContainer,
      )) as ObjectRow[];
      objects += rows.length;
      for (const { bytes: listed, symlink_bytes: size = listed } of rows) bytes += size;
      after = rows.at(-1)?.name;
      if (rows.length < LISTING_LIMIT) return { objects, bytes, next_marker: null };
    }
    return { objects, bytes, next_marker: after ?? null };
  });
}
