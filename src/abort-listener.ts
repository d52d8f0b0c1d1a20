/**
 * Who is told that nobody waits for an answer any more, where an AbortSignal would be made for one
 * call only: its controller, itself and one event are a good part of what a small request costs.
 */
export interface AbortListener {
  /** At most once. @param reason as an AbortSignal's */
  aborted(reason: unknown): void;
}

export interface AbortListeners {
  add(listener: AbortListener): void;
  delete(listener: AbortListener): void;
}
