import { NULL_VERSION_ID } from '../rules/version-id.js';
import {
  RECENT_COMMITS_MAX,
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
  const entries = changedEntries(index.entries, change, id);
  const recent = index.commit === '' ? [] : remembered([index.commit, ...index.recent]);
  return { generation, commit: id, recent, entries };
}

/**
 * The index with a commit that was made for another one: nothing that it wanted is lost, and nothing
 * that is in the index either. What it adds goes where its time says.
 */
export function mergeCommit(index: VersionIndex, { id, change }: Commit): VersionIndex {
  const place = [...(change.add ?? []), ...(change.place ?? [])];
  const entries = changedEntries(index.entries, { ...change, add: [], place }, id);
  return { ...index, recent: remembered([id, ...index.recent]), entries };
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
  const { remove = [], touch = [] } = change;
  const find = ({ name }: SeenEntry): VersionEntry | undefined =>
    entries.find((entry) => entry.name === name);
  return (
    remove.every((seen) => find(seen) === undefined) &&
    touch.every((seen) => find(seen)?.touched === id)
  );
}

function remembered(commits: readonly string[]): readonly string[] {
  return commits.slice(0, RECENT_COMMITS_MAX);
}

function changedEntries(entries: Entries, change: VersionChange, commit: string): Entries {
  const { add = [], place = [], remove = [], touch = [] } = change;
  let changed: Entries = entries.filter((entry) => !remove.some((seen) => isAsSeen(entry, seen)));
  for (const seen of touch) {
    changed = changed.map((entry) =>
      isAsSeen(entry, seen) ? { ...entry, locks: seen.locks, touched: commit } : entry,
    );
  }
  for (const entry of [...add].reverse()) changed = withNewest(changed, entry);
  for (const entry of place) changed = withPlaced(changed, entry);
  return changed;
}

function isAsSeen({ name, touched }: VersionEntry, seen: SeenEntry): boolean {
  return name === seen.name && touched === seen.touched;
}

function withNewest(entries: Entries, added: VersionEntry): VersionEntry[] {
  const others = entries.filter(({ name, id }) => name !== added.name && !isReplaced(id, added));
  return [added, ...others];
}

/** Of two versions `null` the newer one stays. */
function withPlaced(entries: Entries, placed: VersionEntry): Entries {
  const rival = entries.find(({ name, id }) => name === placed.name || isReplaced(id, placed));
  if (rival !== undefined) {
    if (rival.name === placed.name || rival.lastModified >= placed.lastModified) return entries;
  }
  const others = entries.filter((entry) => entry !== rival);
  const at = others.findIndex(({ lastModified }) => lastModified <= placed.lastModified);
  return at === -1 ? [...others, placed] : others.toSpliced(at, 0, placed);
}

function isReplaced(id: string, added: VersionEntry): boolean {
  return id === NULL_VERSION_ID && added.id === NULL_VERSION_ID;
}
