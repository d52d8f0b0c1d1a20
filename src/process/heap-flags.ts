/**
 * Flags of V8 for child processes. It lets the space for new objects grow to three times 16 MiB, and
 * leaves garbage in it for as long as nothing happens; none of these processes needs that much.
 */

/** The CPU that a request took was the same within noise, and a listener had 25 MiB less. */
export const SERVING_HEAP_FLAGS = ['--max-semi-space-size=4'] as const;

/** Of processes that nobody waits for. */
export const SMALL_HEAP_FLAGS = ['--max-semi-space-size=2'] as const;
