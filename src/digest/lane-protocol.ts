import type { Digests, WantedDigests } from './running-digests.js';

/**
 * What the event loop and a lane's thread tell each other. All tasks of one body go to one thread,
 * in order; the thread keeps the state of a body between its first task and its last.
 */
export interface LaneTask {
  /** Of the body; never used twice on a lane. */
  readonly id: number;
  /** With the first task of a body only: opens it. */
  readonly wanted?: WantedDigests | undefined;
  /** Shared memory: it stays as it is until the task is answered. */
  readonly bytes?: Uint8Array<SharedArrayBuffer> | undefined;
  /** The last task of a body: its digests are the answer, or it is forgotten. */
  readonly end?: 'finish' | 'abort' | undefined;
}

/**
 * A lost body is an answer and not an exception, so that a rejected task always means that the
 * thread itself is gone.
 */
export interface LaneAnswer {
  /** Time on the thread, in seconds. */
  readonly runS: number;
  /** The thread does not know the body: it was replaced in between. */
  readonly lost: boolean;
  readonly digests?: Digests | undefined;
}
