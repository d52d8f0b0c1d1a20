import type { CallContext } from './backend.js';

/**
 * Gives up with the caller.
 * @throws the reason of the context's signal, when that is aborted
 */
export function throwIfAborted(context: CallContext | undefined): void {
  if (context?.aborted === false) return;
  context?.signal?.throwIfAborted();
}
