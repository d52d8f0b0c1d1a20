/** A page of a listing. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Whether more follow. */
  readonly truncated: boolean;
}

/**
 * Fills a page of `limit` items. Swift does not say whether more follow, so one more is asked for, if
 * need be on its own: the cluster's own limit is below that of many a caller.
 * @param requestMax most items of one request
 * @param fetch items behind the marker; fewer than asked for only when nothing follows
 */
export async function fillPage<T>(
  limit: number,
  requestMax: number,
  marker: string,
  fetch: (marker: string, limit: number) => Promise<readonly T[]>,
  markerOf: (last: T) => string,
): Promise<Page<T>> {
  const items: T[] = [];
  for (let from = marker; ;) {
    const wanted = Math.min(limit + 1 - items.length, requestMax);
    const more = await fetch(from, wanted);
    for (const item of more) items.push(item);
    const last = more.at(-1);
    if (items.length > limit) return { items: items.slice(0, limit), truncated: true };
    if (last === undefined || more.length < wanted) return { items, truncated: false };
    from = markerOf(last);
  }
}
