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

/** Pure: what commits make of indexes. Whoever carries a commit out comes to the same index. */

type Entries = readonly VersionEntry[];

/** The index that the commit leads to, of the one that it was made for. */
export function applyCommit(index: VersionIndex, commit: Commit): VersionIndex {
  const { generation, id, change } = commit;
  const { merge = [], add = [], place = [], remove = [] } = change;
  const merged = merge.reduce(mergeCommit, index);
  let entries = withoutRemoved(merged.entries, change, id);
  for (const entry of [...add].reverse()) entries = withNewest(entries, entry);
  for (const entry of place) entries = withPlaced(entries, entry, byTime);
  const before = index.commit === '' ? [] : [index.commit];
  const recent = [...before, ...merged.recent].slice(0, RECENT_COMMITS_MAX);
  // Also of an entry that is not there yet, but may be on its way.
  const removed = removedNames(merged, entries, remove);
  return { generation, commit: id, recent, removed, entries };
}

/**
 * The index with a commit that was made for another one: nothing that it wanted is lost, and nothing
 * that is in the index either. What has gone since stays gone.
 */
function mergeCommit(index: VersionIndex, { id, change }: Commit): VersionIndex {
  const { add = [], place = [], remove = [] } = change;
  const wanted = [...add, ...place].filter(({ name }) => !index.removed.includes(name));
  let entries = withoutRemoved(index.entries, change, id);
  for (const entry of wanted) entries = withPlaced(entries, entry, byName);
  const recent = [id, ...index.recent].slice(0, RECENT_COMMITS_MAX);
  // Also of an entry that is not there yet, but may be on its way.
  const removed = removedNames(index, entries, remove);
  return { ...index, recent, removed, entries };
}

/** Whether the commit has led to this index, directly or with others behind it. */
export function holdsCommit({ commit, recent }: VersionIndex, id: string): boolean {
  return commit === id || recent.includes(id);
}

export function findEntry({ entries }: VersionIndex, id: string): VersionEntry | undefined {
  return entries.find((entry) => entry.id === id);
}

/**
 * Whether an index that holds a commit has all that it wanted: merging passes over what was decided
 * on an entry that somebody else has touched since.
 */
export function hasTakenEffect({ entries }: VersionIndex, { id, change }: Commit): boolean {
  const { add = [], remove = [], touch = [] } = change;
  const find = ({ name }: SeenEntry): VersionEntry | undefined =>
    entries.find((entry) => entry.name === name);
  return (
    add.every((added) => !isKeptOut(entries, added)) &&
    remove.every((seen) => find(seen) === undefined) &&
    touch.every((seen) => find(seen)?.touched === id)
  );
}

/** Whether a version `null` did not get its place since another one was touched there before. */
function isKeptOut(entries: Entries, added: VersionEntry): boolean {
  const rival = entries.find((entry) => isRival(entry, added));
  return rival !== undefined && isLocked(rival, added) && byName(rival, added);
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

/** Of two versions `null` the newer one stays. */
function withPlaced(entries: Entries, placed: VersionEntry, isOlder: Older): Entries {
  const rival = entries.find((entry) => isRival(entry, placed));
  if (rival !== undefined && !givesWay(rival, placed, isOlder)) return entries;
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

/** A copy of a plain object gives way to what took the place of that object, not to another copy. */
function givesWay(entry: VersionEntry, to: VersionEntry, isOlder: Older): boolean {
  if (isLocked(entry, to)) return false;
  if (isOfSamePlain(entry, to)) return isCopy(entry) && !isCopy(to);
  return isOlder(entry, to);
}

/** What was ever touched, no other takes the place of. */
function isLocked({ name, touched }: VersionEntry, other: VersionEntry): boolean {
  return touched !== undefined && name !== other.name;
}

function isOfSamePlain({ adopted }: VersionEntry, other: VersionEntry): boolean {
  if (adopted === undefined || adopted.etag !== other.adopted?.etag) return false;
  return adopted.lastModified === other.adopted.lastModified;
}

/** It keeps the time of what it was copied from. */
function isCopy({ adopted, lastModified }: VersionEntry): boolean {
  return adopted?.lastModified === lastModified;
}

type Older = (entry: VersionEntry, than: VersionEntry) => boolean;

/** What others wrote past us: by the store's clock. */
function byTime(entry: VersionEntry, than: VersionEntry): boolean {
  return entry.lastModified <= than.lastModified;
}

/** What gateways wrote: by when they began, which names tell, inverted. */
function byName(entry: VersionEntry, than: VersionEntry): boolean {
  return entry.name > than.name;
}
