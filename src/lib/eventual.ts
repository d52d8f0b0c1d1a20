/** A value that is there at once, or comes by a promise. */
export type Eventual<T> = T | Promise<T>;

/**
 * Goes on with a value: in this very call when it is there, for a promise costs a request that waits
 * for nothing several microseconds. What `next` throws is thrown, or rejects, accordingly.
 */
export function andThen<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
