import type { ClockReading, ClockSource } from './reading.js';

/** An HTTP date has whole seconds, cut off: the peer's clock was at it, or up to this much behind. */
const RESOLUTION_MS = 1000;

/** Older ones are forgotten: the clock may have gone anywhere since. */
const AGE_MS_MAX = 30_000;

interface Observation {
  readonly reading: ClockReading;
  /** Of the clock that never jumps. */
  readonly at: number;
}

/**
 * What the `Date` of a backend's answers says of this node's clock: somewhere between the request
 * and the answer, the peer's clock was within that second.
 */
export class PeerDate implements ClockSource {
  readonly name = 'backend';
  #last: Observation | undefined;

  constructor(private readonly monotonic: () => number = () => performance.now()) {}

  /**
   * To be told of an answer's `Date`; cheap enough for every answer.
   * All in milliseconds since the epoch; `sentAt` and `receivedAt` of this node's clock.
   */
  observe(date: number, sentAt: number, receivedAt: number): void {
    // The clock was set back meanwhile: nothing can be said.
    if (receivedAt < sentAt) return;
    const reading = {
      offsetMs: (sentAt + receivedAt) / 2 - (date + RESOLUTION_MS / 2),
      uncertaintyMs: (receivedAt - sentAt + RESOLUTION_MS) / 2,
    };
    this.#last = { reading, at: this.monotonic() };
  }

  /** @throws Error when nothing was observed lately */
  read(): Promise<ClockReading> {
    const last = this.#last;
    if (last === undefined || this.monotonic() - last.at > AGE_MS_MAX) {
      return Promise.reject(new Error('no answer with a Date lately'));
    }
    return Promise.resolve(last.reading);
  }
}
