import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { idOf } from '../../../../src/backend/embedded/keys.js';
import { layoutOf } from '../../../../src/backend/embedded/layout.js';
import type { EmbeddedStore } from '../../../../src/backend/embedded/index.js';
import { decodeSummary } from '../../../../src/backend/embedded/object-record.js';
import { closeTables, openTables } from '../../../../src/backend/embedded/tables.js';
import { bodyFiles, BUCKET, CONTEXT, objectRef, readAll, seededBytes } from '../support.js';
import type { ObservedObject, ObservedState } from './check.js';

type Bodies = Omit<ObservedState, 'objects' | 'objectCount' | 'bytesUsed'>;

/** Reads everything there is through the store, then closes it and looks into its tables and folders. */
export async function observe(store: EmbeddedStore, directory: string): Promise<ObservedState> {
  const objects = new Map<string, ObservedObject>();
  for (let marker = '', truncated = true; truncated;) {
    const page = await store.listObjects(CONTEXT, BUCKET, { marker, limit: 100 });
    for (const entry of page.entries) {
      if (entry.kind !== 'object') continue;
      marker = entry.object.name;
      objects.set(marker, await readVersion(store, marker, entry.object.size));
    }
    ({ truncated } = page);
  }
  const { objectCount, bytesUsed } = await store.headContainer(CONTEXT, BUCKET);
  await store.close();
  return { objects, objectCount, bytesUsed, ...(await observeBodies(directory)) };
}

async function readVersion(
  store: EmbeddedStore,
  name: string,
  size: number,
): Promise<ObservedObject> {
  const head = await store.headObject(CONTEXT, objectRef(name));
  const seed = Number(head.metadata.seed);
  const bytes = await readAll(store, name);
  const md5 = createHash('md5').update(bytes).digest('hex');
  const intact =
    head.size === size && md5 === head.etag && bytes.equals(seededBytes(head.size, seed));
  return { size: head.size, seed, intact, large: head.segmentCount !== undefined };
}

async function observeBodies(directory: string): Promise<Bodies> {
  const tables = await openTables(layoutOf(directory), 2 ** 30);
  const inlineReferred = new Set<number>();
  const filesReferred = new Set<number>();
  for (const { value } of tables.objects.getRange({})) {
    const { place, bodyId } = decodeSummary(value, value.length);
    if (place === 'inline' || place === 'segments') inlineReferred.add(bodyId);
    if (place === 'file') filesReferred.add(bodyId);
  }
  const inlineStored = new Set([...tables.bodies.getKeys({})].map(idOf));
  const reclaimRows = tables.reclaim.getCount({});
  await closeTables(tables);
  const files = await bodyFiles(directory);
  const filesStored = new Set(files.map((path) => parseInt(basename(path), 16)));
  return { inlineReferred, inlineStored, filesReferred, filesStored, reclaimRows };
}
