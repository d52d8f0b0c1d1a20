import { $ } from '../../../ui/dom.js';
import { fail } from '../../../ui/shell.js';
import type { SessionView } from '../../../server/session-routes.js';
import type { ContainerDetails } from '../container-details.js';
import type { FolderItem, ObjectItem } from '../container-routes.js';
import type { TrashEntry } from '../trash-listing.js';

export { fail };

export interface ObjectPlace {
  readonly container: string;
  readonly name: string;
}

/** A folder; in the trash with what was deleted in it, and with the last time. */
export type FolderRow = FolderItem & {
  readonly objects?: number;
  readonly bytes?: number;
  readonly last_modified?: string;
  /** Not all of it has been counted yet. */
  readonly isCounting?: boolean;
};

/** A row of a listing, or found by a search. */
export type ObjectRow = Pick<
  ObjectItem,
  'kind' | 'name' | 'display' | 'bytes' | 'last_modified' | 'slo_etag'
> & { readonly content_type?: string };

type Deleted = Required<Pick<FolderRow, 'name' | 'display' | 'last_modified'>>;

/** A row of an object that was deleted where the container keeps versions. */
export type GoneRow = Deleted & { readonly kind: 'gone'; readonly bytes: number | null };

export type TrashRow = Deleted &
  Pick<TrashEntry, 'bytes' | 'expires_unix_s' | 'expired'> & {
    readonly kind: 'trash';
    readonly slo_etag: string | undefined;
  };

export type Row = FolderRow | ObjectRow | GoneRow | TrashRow;

/** `settings` is what the bucket itself is like, on its other tabs. */
type Mode = 'files' | 'trash' | 'settings';

export type Role = SessionView['role'];

/** A search, as its form has it. */
export type Find = Record<'q' | 'mode' | 'min_mib' | 'max_mib' | 'since' | 'until', string>;

interface View {
  /** The address without what stands behind its folder. */
  path: string;
  container: string | null;
  prefix: string;
  mode: Mode;
  tab: string;
  details:
    | (Pick<ContainerDetails, 'name' | 'versioning' | 'versioning_active'> &
        Partial<ContainerDetails>)
    | null;
  rows: readonly Row[];
  whole: readonly Row[] | null;
  selected: Set<string>;
  next: string | null;
  previous: string | null;
  search: AbortController | null;
}

/** The state of the page: one place, known to all its parts. */
export const view: View = {
  path: '',
  container: null,
  /** The prefix of shown names: a folder, or the beginning of names in one. */
  prefix: '',
  mode: 'files',
  /** Which tab of the bucket, where it is not that of the objects; empty for its settings. */
  tab: '',
  /** The details of the container; null until the console has told them. */
  details: null,
  rows: [],
  /** All rows of the folder, where these are known and more than those of the page. */
  whole: null,
  selected: new Set(),
  next: null,
  previous: null,
  /** Ends the search that is under way; null while there is none. */
  search: null,
};

/** Ends the search that is under way: what it finds is no longer for the table. */
export function stopSearch() {
  view.search?.abort();
  view.search = null;
}

const RANK: Record<Role, number> = { reader: 0, member: 1, admin: 2, operator: 3 };
let role: Role = 'reader';

export function setRole(given: Role) {
  role = given;
}

/** Whether the user's role has at least the rights of this one; the console checks again. */
export function may(least: Role) {
  return RANK[role] >= RANK[least];
}

/** The open container, for what is done only while there is one. */
export function containerHere() {
  return view.container as string;
}

/** The folder of the prefix: what is uploaded goes there. */
export function folder() {
  return view.prefix.slice(0, view.prefix.lastIndexOf('/') + 1);
}

/** Whether the container itself keeps what is deleted, by the store or by S3. */
export function keepsDeleted() {
  if (view.details?.s3 === true) return true;
  return view.details?.versioning === 'stack' && view.details.versioning_active;
}

/** Runs what a button does; what goes wrong is shown. */
export function act(selector: string, work: () => unknown) {
  $(selector).addEventListener('click', () => attempt(work));
}

export function attempt(work: () => unknown) {
  $('#banner').hidden = true;
  Promise.resolve().then(work).catch(fail);
}

/** Names stand behind `#`, so that a reload and the back button keep the place. */
export function go(container: string, prefix: string, mode: Mode = 'files') {
  location.hash = hashOf(container, prefix, ...(mode === 'files' ? [] : [mode]));
}

/** A place as the address has it, behind `#`. */
export function hashOf(...place: readonly string[]) {
  return place.map(encodeURIComponent).join('/');
}

/** The tab of a bucket that shows its objects. */
export const OBJECTS = 'objects';

export function setTab(tab: string) {
  if (tab === OBJECTS) go(containerHere(), view.prefix);
  else location.hash = hashOf(containerHere(), view.prefix, 'settings', tab);
}

/** Tabs had other names once. */
const FORMER_TABS: Readonly<Record<string, string>> = {
  overview: 'settings',
  danger: 'settings',
};

/** The text may have been typed by hand: an invalid encoding is taken as it is. */
function decoded(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function readPlace() {
  const [path = ''] = location.hash.slice(1).split('?');
  const [container = '', prefix = '', mode = 'files', tab = ''] = path.split('/').map(decoded);
  if (container !== view.container) view.details = null;
  Object.assign(view, {
    path,
    container: container === '' ? null : container,
    prefix,
    mode: mode === 'trash' || mode === 'settings' ? mode : 'files',
    tab: FORMER_TABS[tab] ?? tab,
  });
}
