import { setMaxListeners } from 'node:events';

/**
 * Tells the work of a request that its caller has given up. A request has one of them, which every
 * call that is made for it refers to.
 *
 * A listener costs less than the signal, which is made on first use: an AbortController, its signal
 * and an event are a good part of what a small request costs.
 */
export interface Cancellation {
  /** The caller has given up. */
  readonly aborted: boolean;
  /** Aborted when the caller gives up; its reason is what calls fail with. */
  readonly signal: AbortSignal;
  /** Tells the listener when the caller gives up; at once, when it has done so already. */
  addAbortListener(listener: AbortListener): void;
  removeAbortListener(listener: AbortListener): void;
}

export interface AbortListener {
  /** Called at most once. @param reason as an AbortSignal's */
  aborted(reason: unknown): void;
}

/** The cancellation of work that an AbortSignal ends. */
export function cancelledBy(signal: AbortSignal): Cancellation {
  return new SignalCancellation(signal);
}

class SignalCancellation implements Cancellation {
  readonly #events = new Map<AbortListener, () => void>();

  constructor(readonly signal: AbortSignal) {
    // Each call under way listens, and so does each that waits for its turn: all of them leave, and
    // there are as many as the caller starts at once. Node takes more than ten for a leak.
    setMaxListeners(0, signal);
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  addAbortListener(listener: AbortListener): void {
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

  removeAbortListener(listener: AbortListener): void {
    const event = this.#events.get(listener);
    if (event === undefined) return;
    this.#events.delete(listener);
    this.signal.removeEventListener('abort', event);
  }
}

/**
 * A stream of bytes. A chunk is valid only until the next one is asked for, so that a source may
 * reuse its buffer: who keeps a chunk longer copies it. Leaving a `for await` early (`return()`)
 * lets go of whatever the source holds.
 */
export type ByteSource = AsyncIterable<Buffer>;

/**
 * The chunks of a generator. A generator that is left before it was asked for anything runs none of
 * its code, and one that waits runs none before it goes on: so `letGo` frees what it holds.
 *
 * @param letGo - called each time that the source is left early
 */
export function leavable(chunks: AsyncGenerator<Buffer, undefined>, letGo: () => void): ByteSource {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return: () => {
        letGo();
        return chunks.return(undefined);
      },
    }),
  };
}

/**
 * The result of the promise, unless the signal is aborted first.
 * @throws the signal's reason
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
