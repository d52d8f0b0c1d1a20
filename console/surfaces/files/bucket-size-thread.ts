import type { ThreadTask } from '../../server/compute-thread.js';
import { rowsIn } from './listing-rows.js';
import type { ObjectRow } from './swift-listing.js';
import { isMarker } from './versioning.js';

/** The thread of sizes: it reads pages of listings, and adds up what they list. */

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/**
 * The subject of a listing:
 *
 *     objects    a bucket: its current objects, of which some are links to versions
 *     stack      a bucket with all versions, where the store itself keeps them
 *     archive    `<bucket>+versions`, where the gateway keeps the versions of a bucket
 *     segments   `<bucket>+segments`, where the parts of multipart uploads are
 */
export type ListingKind = 'objects' | 'stack' | 'archive' | 'segments';

export interface SizeTask {
  readonly name: 'size';
  readonly kind: ListingKind;
  /** A page as Swift sends it. */
  readonly listing: Uint8Array;
  /** The upload that the pages before have left open; see {@link SizePage.open}. */
  readonly open: string;
}

/** The figures that a page adds. */
export interface SizePage {
  readonly rows: number;
  /** The name of the last row. */
  readonly name: string | undefined;
  readonly versionId: string | undefined;
  /** Current objects; all versions in `archive`, open uploads in `segments`. */
  readonly found: Amount;
  /** Links to versions among `objects`; versions that are not current in `stack`. */
  readonly others: Amount;
  /** The prefix of the names of the parts of the upload whose marker came last. */
  readonly open: string;
}

type Row = ObjectRow & {
  readonly symlink_path?: string;
  readonly version_id?: string;
  readonly is_latest?: boolean;
};

const VERSION = /^[0-9a-f]+\/[0-9a-f]{32}$/;
const LINK_TO_VERSION = /(?:\+|%2B)versions(?:\/|%2F)[0-9a-f]+(?:\/|%2F)[0-9a-f]{32}$/i;
const LINK_TYPE = 'application/symlink';
/** The name of an open upload: the key, and an id as any gateway mints it. */
const UPLOAD_MARKER = /.\/[A-Za-z0-9_-]{32,128}$/s;

/** One page; undefined for what is no list. */
export default function run({ task }: ThreadTask<SizeTask>): SizePage | undefined {
  const { kind, listing, open } = task;
  const rows = rowsIn(listing) as readonly Row[] | undefined;
  if (rows === undefined) return undefined;
  const sums = new Sums(open);
  for (const row of rows) sums[kind](row);
  const { found, others } = sums;
  const last = rows.at(-1);
  return {
    rows: rows.length,
    name: last?.name,
    versionId: last?.version_id,
    found,
    others,
    open: sums.open,
  };
}

class Sums {
  readonly found = { count: 0, bytes: 0 };
  readonly others = { count: 0, bytes: 0 };

  constructor(public open: string) {}

  objects(row: Row): void {
    const bytes = bytesOf(row);
    add(this.found, bytes);
    if (isLinkToVersion(row)) add(this.others, bytes);
  }

  stack(row: Row): void {
    if (isMarker(row.content_type)) return;
    add(row.is_latest === true ? this.found : this.others, bytesOf(row));
  }

  archive(row: Row): void {
    if (VERSION.test(row.name)) add(this.found, bytesOf(row));
  }

  /** Parts follow their marker; those whose marker is gone are an object's. */
  segments(row: Row): void {
    if (this.open !== '' && row.name.startsWith(this.open)) this.found.bytes += bytesOf(row);
    else if (UPLOAD_MARKER.test(row.name)) {
      this.open = `${row.name}/`;
      add(this.found, 0);
    }
  }
}

function add(sum: { count: number; bytes: number }, bytes: number): void {
  sum.count += 1;
  sum.bytes += bytes;
}

/** The embedded store lists no path of the gateway's own links. */
function isLinkToVersion({ symlink_path: path, content_type: type }: Row): boolean {
  return path === undefined ? type === LINK_TYPE : LINK_TO_VERSION.test(path);
}

/** Swift lists a link with nothing in it, and says beside it what it leads to. */
function bytesOf({ bytes, symlink_bytes: linked = bytes }: Row): number {
  return linked;
}
