import { NULL_VERSION_ID } from '../rules/version-id.js';
import {
  RECENT_COMMITS_MAX,
  REMOVED_NAMES_MAX,
  type Commit,
  type SeenEntry,
  type VersionChange,
  type VersionEntry,
  type VersionIndex,
} from './version-entry.js';

/**
 * Pure functions: the change of an index by a commit. Every gateway that carries a commit out makes
 * the same index.
 */

type Entries = readonly VersionEntry[];

/** The index that the commit leads to, of the one that it was made for. */
export function applyCommit(index: VersionIndex, commit: Commit): VersionIndex {
  const { generation, id, change } = commit;
  const { add = [], place = [], remove = [] } = change;
  let entries = withoutRemoved(index.entries, change, id);
  for (const entry of [...add].reverse()) entries = withNewest(entries, entry);
  for (const entry of place) entries = withPlaced(entries, entry);
  const before = index.commit === '' ? [] : [index.commit];
  const recent = [...before, ...index.recent].slice(0, RECENT_COMMITS_MAX);
  // Names to remove, including one of an entry that is not there yet, but may be on its way.
  const removed = removedNames(index, entries, remove);
  return { generation, commit: id, recent, removed, entries };
}

/** Whether the commit has led to this index, directly or with others behind it. */
export function holdsCommit({ commit, recent }: VersionIndex, id: string): boolean {
  return commit === id || recent.includes(id);
}

/** An index remembers its last commits: true if it would remember one of this generation. */
export function remembers(
  index: VersionIndex,
  { generation }: Pick<VersionIndex, 'generation'>,
): boolean {
  return index.generation - generation <= RECENT_COMMITS_MAX;
}

/** False if an index is certainly not that one, or one that later commits have made of it. */
export function comesOf(index: VersionIndex, former: VersionIndex): boolean {
  return former.commit === '' || !remembers(index, former) || holdsCommit(index, former.commit);
}

export function findEntry({ entries }: VersionIndex, id: string): VersionEntry | undefined {
  return entries.find((entry) => entry.id === id);
}

function removedNames(
  { entries, removed }: VersionIndex,
  left: Entries,
  asked: readonly SeenEntry[],
): readonly string[] {
  const there = new Set(left.map(({ name }) => name));
  const gone = [...entries, ...asked].map(({ name }) => name).filter((name) => !there.has(name));
  if (gone.length === 0) return removed;
  return [...new Set([...gone, ...removed])].slice(0, REMOVED_NAMES_MAX);
}

function withoutRemoved(entries: Entries, change: VersionChange, commit: string): Entries {
  const { remove = [], touch = [], move = [] } = change;
  const left = entries.filter((entry) => !remove.some((seen) => isAsSeen(entry, seen)));
  if (touch.length + move.length === 0) return left;
  const classes = new Map(move.map(({ name, storageClass }) => [name, storageClass]));
  const moved = left.map((entry) => {
    const storageClass = classes.get(entry.name);
    return storageClass === undefined ? entry : { ...entry, storageClass };
  });
  return moved.map((entry) => {
    const touched = touch.find((seen) => isAsSeen(entry, seen));
    return touched === undefined ? entry : { ...entry, locks: touched.locks, touched: commit };
  });
}

function isAsSeen({ name, touched }: VersionEntry, seen: SeenEntry): boolean {
  return name === seen.name && touched === seen.touched;
}

function withNewest(entries: Entries, added: VersionEntry): Entries {
  return [added, ...entries.filter((entry) => !isRival(entry, added))];
}

/** If there are two versions `null`, the newer one stays. */
function withPlaced(entries: Entries, placed: VersionEntry): Entries {
  const rival = entries.find((entry) => isRival(entry, placed));
  if (rival !== undefined && !givesWay(rival, placed)) return entries;
  const others = entries.filter((entry) => entry !== rival);
  const at = others.findIndex((entry) => isOlder(entry, placed));
  return at === -1 ? [...others, placed] : others.toSpliced(at, 0, placed);
}

/** Whether there is room for only one of them. */
function isRival(entry: VersionEntry, other: VersionEntry): boolean {
  if (entry.name === other.name) return true;
  if (entry.id === NULL_VERSION_ID && other.id === NULL_VERSION_ID) return true;
  return isCopy(entry) && isCopy(other) && isOfSamePlain(entry, other);
}

/** A copy of a plain object gives way to the successor of that object, not to another copy. */
function givesWay(entry: VersionEntry, to: VersionEntry): boolean {
  if (isLocked(entry, to)) return false;
  if (isOfSamePlain(entry, to)) return isCopy(entry) && !isCopy(to);
  return isOlder(entry, to);
}

/** No other version takes the place of one that was ever touched. */
function isLocked({ name, touched }: VersionEntry, other: VersionEntry): boolean {
  return touched !== undefined && name !== other.name;
}

function isOfSamePlain({ adopted }: VersionEntry, other: VersionEntry): boolean {
  if (adopted === undefined || adopted.etag !== other.adopted?.etag) return false;
  return adopted.lastModified === other.adopted.lastModified;
}

/** It keeps the time of its source. */
function isCopy({ adopted, lastModified }: VersionEntry): boolean {
  return adopted?.lastModified === lastModified;
}

/** Objects that others wrote past us go by the store's clock. */
function isOlder(entry: VersionEntry, than: VersionEntry): boolean {
  return entry.lastModified <= than.lastModified;
}
