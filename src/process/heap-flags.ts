/**
 * Flags of V8, which lets the space for new objects grow to three times 16 MiB, and leaves garbage in
 * it, and in the buffers that it holds, for as long as nothing happens.
 */

/**
 * A listener had 4 to 25 MiB less with half of it, for the same CPU by request. A quarter cost pages
 * of a thousand keys a quarter more: those of sixteen clients do not fit in, and are copied.
 */
export const SERVING_HEAP_FLAGS = ['--max-semi-space-size=8'] as const;

/** Of processes that nobody waits for. */
export const SMALL_HEAP_FLAGS = ['--max-semi-space-size=2'] as const;
