import { BoundedCache } from '../../../src/lib/bounded-cache.js';
import { mapLimited } from '../../../src/lib/promises.js';
import { decodeWords } from '../../../src/lib/rfc2047.js';
import type { SwiftAccount } from '../../swift/account.js';
import { trashOf } from './names.js';
import { objectInfo } from './object-info.js';
import { walkObjects, type ObjectRow } from './swift-listing.js';
import { nameInTrash, parseTrashName } from './trash.js';
import { orMissing } from './translate.js';

/** Something in the trash. */
export interface TrashEntry {
  readonly trash_name: string;
  readonly name: string;
  readonly bytes: number;
  readonly deleted_unix_ms: number;
  /** The expiry as stored, not as the console would set it today; null for never. */
  readonly expires_unix_s: number | null;
  /** The store lists what has expired until its expirer has passed. */
  readonly expired: boolean;
  /** The user who deleted it; null when unknown. */
  readonly by: string | null;
  readonly last_modified: string;
  /** The kind in the listing: links and dynamic manifests look like objects in it. */
  readonly kind: 'object' | 'slo';
}

/** The deleted objects below a folder. */
interface TrashFolder {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly deleted_unix_ms: number;
}

/** The trash of a container, the newest deletion first. */
export interface TrashView {
  readonly items: readonly TrashEntry[];
  /** Folders below the prefix that was asked for, by name; none without one. */
  readonly folders: readonly TrashFolder[];
  /** True when older deletions were left out. */
  readonly truncated: boolean;
}

/** The facts of an entry that no listing tells. They never change while the entry is there. */
interface Facts {
  readonly name: string | undefined;
  readonly expiresUnixS: number | null;
  readonly by: string | null;
}

const AT_ONCE = 16;
const FACTS_MAX = 20_000;
/** Rows that are read to find folders. */
const ROWS_MAX = 200_000;

/** Lists trash, asking the store for each entry once. */
export class TrashListing {
  readonly #known = new BoundedCache<Facts>({ weightMax: FACTS_MAX });

  constructor(private readonly now: () => number) {}

  /**
   * Lists the trash of a container, the newest deletion first.
   * @param prefix - what is in this folder, and the folders in it; without it all deletions
   * @throws SwiftStatusError 404 where nothing was ever thrown away
   */
  async list(
    store: SwiftAccount,
    container: string,
    limit: number,
    prefix?: string,
  ): Promise<TrashView> {
    const rows: ObjectRow[] = [];
    const folders = new Map<string, TrashFolder>();
    let truncated = false;
    let read = 0;
    for await (const row of walkObjects(store, trashOf(container), '', true)) {
      const parsed = parseTrashName(row.name);
      if (parsed === undefined || !parsed.name.startsWith(prefix ?? '')) continue;
      const folder = prefix === undefined ? undefined : folderIn(parsed.name, prefix);
      read += 1;
      if (folder !== undefined)
        folders.set(folder, withRow(folders.get(folder), folder, row, parsed));
      else if (rows.length < limit) rows.push(row);
      else truncated = true;
      if ((truncated && prefix === undefined) || read === ROWS_MAX) break;
    }
    if (read === ROWS_MAX) truncated = true;
    const items = await mapLimited(rows, AT_ONCE, (row) => this.#entry(store, container, row));
    const sorted = [...folders.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { items, folders: sorted, truncated };
  }

  async #entry(store: SwiftAccount, container: string, row: ObjectRow): Promise<TrashEntry> {
    const parsed = parseTrashName(row.name);
    const facts = await this.#facts(store, container, row.name);
    const expiresUnixS = facts?.expiresUnixS ?? null;
    return {
      trash_name: row.name,
      name: facts?.name ?? parsed?.name ?? row.name,
      bytes: row.bytes,
      deleted_unix_ms: parsed?.deletedMs ?? 0,
      expires_unix_s: expiresUnixS,
      expired: facts === undefined || (expiresUnixS !== null && expiresUnixS * 1000 <= this.now()),
      by: facts?.by ?? null,
      last_modified: row.last_modified,
      kind: row.slo_etag === undefined ? 'object' : 'slo',
    };
  }

  /** @returns undefined for what is listed and not there any more */
  async #facts(
    store: SwiftAccount,
    container: string,
    trashName: string,
  ): Promise<Facts | undefined> {
    const key = `${store.name}/${container}/${trashName}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const info = await objectInfo(store, trashOf(container), trashName).catch(orMissing);
    if (info === undefined) return undefined;
    const { deleteAtUnixS: expiresUnixS, meta } = info;
    const facts = {
      name: nameInTrash(trashName, meta),
      expiresUnixS,
      by: meta['trash-by'] === undefined ? null : decodeWords(meta['trash-by']),
    };
    this.#known.set(key, facts);
    return facts;
  }
}

/** The folder below a prefix that a name is in; undefined for what is in the prefix itself. */
function folderIn(name: string, prefix: string): string | undefined {
  const slash = name.indexOf('/', prefix.length);
  return slash === -1 ? undefined : name.slice(0, slash + 1);
}

/** A folder with one object more, which was deleted before those that it has. */
function withRow(
  folder: TrashFolder | undefined,
  name: string,
  { bytes }: ObjectRow,
  { deletedMs }: { readonly deletedMs: number },
): TrashFolder {
  if (folder === undefined) return { name, objects: 1, bytes, deleted_unix_ms: deletedMs };
  return { ...folder, objects: folder.objects + 1, bytes: folder.bytes + bytes };
}
