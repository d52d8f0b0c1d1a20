import { performance } from 'node:perf_hooks';
import type { Touchable } from './heartbeat.js';
import type { EdgeLimits } from './limits.js';
import type { RequestBodyStream } from './request-body.js';

/**
 * Milliseconds from the last byte that is read to the close: by then the answer was sent long ago.
 */
const LAST_CALL_MS = 1_000;

export interface LingerHost {
  pauseReading(): void;
  /** Closes the connection when what was written has gone out. */
  closeSoon(): void;
}

/**
 * The time between an answer and the close of a connection on which the client still sends.
 * Closing at once would make the client's kernel throw the answer away: bytes that arrive at a
 * closed socket are answered with a reset. So a bounded number of bytes is read and dropped, then
 * none, until the client has read the answer and leaves, or the time is over.
 */
export class Linger implements Touchable {
  #until: number;
  readonly #bytesAtStart: number;
  #paused = false;

  constructor(
    private readonly host: LingerHost,
    private readonly limits: EdgeLimits,
    upload: RequestBodyStream | undefined,
  ) {
    this.#until = performance.now() + limits.drainTimeoutMs;
    this.#bytesAtStart = upload?.bytesReceived ?? 0;
  }

  received(upload: RequestBodyStream): void {
    if (upload.complete) {
      this.host.closeSoon();
    } else if (
      !this.#paused &&
      upload.bytesReceived - this.#bytesAtStart >= this.limits.drainBytesMax
    ) {
      this.#paused = true;
      this.#until = Math.min(this.#until, performance.now() + LAST_CALL_MS);
      this.host.pauseReading();
    }
  }

  touch(now: number): void {
    if (now >= this.#until) this.host.closeSoon();
  }
}
