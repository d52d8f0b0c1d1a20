import type { AbortListener, AbortListeners } from '../abort-listener.js';
import type { CallContext } from './backend.js';

/**
 * Gives up with the caller.
 * @throws the reason of the context's signal, when that is aborted
 */
export function throwIfAborted(context: CallContext | undefined): void {
  if (context?.aborted === false) return;
  context?.signal?.throwIfAborted();
}

/**
 * Where to listen for the caller to give up: its own listeners where it has them, else its signal.
 * One that listens to what is aborted already is told at once. Undefined for what nobody gives up.
 */
export function listenersOf({
  aborted,
  abortListeners,
  signal,
}: CallContext): AbortListeners | undefined {
  if (aborted === false && abortListeners !== undefined) return abortListeners;
  return signal && new SignalListeners(signal);
}

class SignalListeners implements AbortListeners {
  readonly #events = new Map<AbortListener, () => void>();

  constructor(private readonly signal: AbortSignal) {}

  add(listener: AbortListener): void {
    if (this.signal.aborted) {
      listener.aborted(this.signal.reason);
      return;
    }
    const event = (): void => {
      listener.aborted(this.signal.reason);
    };
    this.#events.set(listener, event);
    this.signal.addEventListener('abort', event, { once: true });
  }

  delete(listener: AbortListener): void {
    const event = this.#events.get(listener);
    if (event !== undefined) this.signal.removeEventListener('abort', event);
  }
}
