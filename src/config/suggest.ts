/** A misspelling differs in at most this share of its letters. */
const DISTANCE_SHARE_MAX = 0.4;

/** The shortest beginning of a name that is taken for the whole name. */
const PREFIX_LENGTH_MIN = 3;

/**
 * The known name that was probably meant.
 * @returns undefined when nothing is near enough
 */
export function suggest(given: string, known: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const isCutShort = given.length >= PREFIX_LENGTH_MIN && name.startsWith(given);
    const distance = isCutShort ? 1 : editDistance(given, name);
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  if (best === undefined) return undefined;
  const bound = Math.max(given.length, best.name.length) * DISTANCE_SHARE_MAX;
  return best.distance <= bound ? best.name : undefined;
}

/** `; did you mean x?`, or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggest(given, known);
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
