/**
 * `task` for each item, in order, at most `limit` of them at a time.
 *
 * @returns the results in the order of the items
 * @throws what the first failing task threw, once those under way have settled; no task begins
 *   after it
 */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array<Result>(items.length);
  const queue = items.entries();
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = await task(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
  return results;
}
