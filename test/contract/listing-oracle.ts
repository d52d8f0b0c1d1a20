import type { ListingEntry, ObjectPage, ObjectQuery } from '../../src/backend/backend.js';

/** A listing reduced to what an oracle can know: `name` of an object, `name*` of a roll-up. */
export function shown(entries: readonly ListingEntry[]): string[] {
  return entries.map((entry) => (entry.kind === 'object' ? entry.object.name : `${entry.prefix}*`));
}

export function shownName(entry: ListingEntry): string {
  return entry.kind === 'object' ? entry.object.name : entry.prefix;
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The expected page, worked out the slow and obvious way from all the names there are. */
export function expectedPage(
  names: readonly string[],
  { prefix = '', delimiter = '', marker = '', limit }: ObjectQuery,
): { shown: string[]; truncated: boolean } {
  const all = new Map<string, { name: string; rollUp: boolean }>();
  for (const name of [...names].sort(byBytes)) {
    if (!name.startsWith(prefix)) continue;
    const at = delimiter === '' ? -1 : name.slice(prefix.length).indexOf(delimiter);
    const rollUp = at >= 0;
    const shownAs = rollUp ? name.slice(0, prefix.length + at + delimiter.length) : name;
    all.set(`${shownAs}${rollUp ? '*' : ''}`, { name: shownAs, rollUp });
  }
  const behind = [...all].filter(([, entry]) => {
    if (marker === '') return true;
    if (entry.rollUp && marker.startsWith(entry.name)) return false;
    return byBytes(entry.name, marker) > 0;
  });
  return {
    shown: behind.slice(0, limit).map(([text]) => text),
    truncated: behind.length > limit,
  };
}

/** Follows the pages to the end, each behind the last entry of the one before. */
export async function allPages(
  list: (query: ObjectQuery) => Promise<ObjectPage>,
  query: ObjectQuery,
): Promise<{ entries: ListingEntry[]; pages: number }> {
  const entries: ListingEntry[] = [];
  let { marker } = query;
  for (let pages = 1; ; pages++) {
    const page = await list({ ...query, marker });
    entries.push(...page.entries);
    if (!page.truncated) return { entries, pages };
    const last = page.entries.at(-1);
    if (last === undefined) throw new Error('an empty page says that more follows');
    marker = shownName(last);
  }
}
