import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a slice may keep the loop. */
const SLICE_MS = 1;
/** Items between two looks at the clock. */
const SLICE_CHECK = 64;

/** Takes many items one after the other, and lets others have the loop once a millisecond. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  step: (item: T, index: number) => void,
): Promise<void> {
  let deadline = performance.now() + SLICE_MS;
  let index = 0;
  for (const item of items) {
    step(item, index++);
    if (index % SLICE_CHECK !== 0 || performance.now() < deadline) continue;
    await nextTurn();
    deadline = performance.now() + SLICE_MS;
  }
}
